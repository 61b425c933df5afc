/** The forms of names by model: one part of each column, with its alternatives. All names are those of a sports club. */
const FORMS = readForms({
  brand: [
    [
      'Cumbre|Rayo|Brisa|Duna|Faro|Lince|Nexo|Roble|Siroco|Tramontana|Vértice|Zarza|Boreal|Cierzo|' +
        'Delta|Estela|Fénix|Garza|Halcón|Índigo|Júcar|Litoral|Mistral|Órbita|Pleamar|Quilla|Terral',
      ' Sport| Pro| Activa| Tenis| Pádel| Fit| Norte| Sur| Agua| Textil| Natación| Outdoor',
    ],
  ],
  warehouse: [
    [
      'Almacén|Tienda|Bar|Taller|Cámara|Depósito|Trastero|Cuarto|Nave|Sala de material|Armario|' +
        'Bodega|Mostrador|Quiosco|Cobertizo|Altillo|Garaje|Patio|Caseta|Oficina|Archivo|Vitrina',
      ' de la pista central| del solárium| del gimnasio| del pádel| de la recepción| del vestuario|' +
        ' de la escuela| del restaurante| del aparcamiento| de la grada| del frontón| del pabellón',
    ],
  ],
  company: [
    [
      'Construcciones|Viajes|Talleres|Asesoría|Clínica|Autoescuela|Academia|Transportes|Librería|' +
        'Farmacia|Gestoría',
      ' Azahar| Peñalara| Ribera| Miramar| Montesol| Almenara| Solana| Torrealta| Guadarrama|' +
        ' Albero| Campoamor| Levante| Moncayo',
      ', S.L.|, S.A.',
    ],
  ],
  supplier: [
    [
      'Deportes|Suministros|Distribuciones|Textiles|Bebidas|Comercial|Equipamientos|Almacenes|' +
        'Industrias',
      ' Arlanza| Bidasoa| Cinca| Duratón| Esla| Genil| Henares| Iregua| Jarama| Lozoya| Manzanares|' +
        ' Nalón| Odiel| Pisuerga| Segura| Tormes| Turia',
      ', S.L.|, S.A.| e Hijos, S.L.| Hermanos, S.L.',
    ],
  ],
  customerTag: [
    [
      'Abonado|Socio|Alumno|Antiguo alumno|Invitado|Colaborador|Voluntario|Jugador|Entrenador|' +
        'Monitor|Árbitro|Familiar|Acompañante|Aspirante|Veterano|Becado|Federado|Patrocinador|Tutor|' +
        'Nuevo alumno|Antiguo socio|Jubilado|Estudiante|Residente|Suplente|Capitán',
      ' de pádel| de tenis| de natación| de gimnasio| de yoga| de fin de semana| de verano|' +
        ' de mañana| de tarde| de atletismo| de pilates| de baloncesto',
    ],
  ],
  customerGroup: [
    [
      'Liga|Escuela|Equipo|Grupo|Curso|Torneo|Peña',
      ' de tenis| de pádel| de natación| de yoga| de pilates| de baloncesto| de fútbol sala|' +
        ' de atletismo',
      ' júnior| sénior| infantil| de mañana| de tarde| de fin de semana| de perfeccionamiento',
    ],
  ],
  lockerType: [
    [
      'Taquilla pequeña|Taquilla mediana|Taquilla alta|Taquilla doble|Taquilla con enchufe|' +
        'Taquilla electrónica|Taquilla ventilada|Taquilla acolchada|Taquilla con espejo|' +
        'Taquilla con candado|Taquilla metálica|Taquilla de madera|Taquilla baja|Taquilla exterior|' +
        'Taquilla de equipo|Taquilla para palas|Taquilla para bicicletas|Taquilla refrigerada|' +
        'Taquilla de esquina|Taquilla transparente',
      '| de la piscina| del gimnasio| del pádel| del tenis| de la escuela| del personal|' +
        ' del frontón| del vestuario 1| del vestuario 2| del pabellón| de la entrada| de la grada|' +
        ' del sótano| infantil',
    ],
  ],
  locker: [
    [
      [...'ABCEFHJKLMNQRSTUVWXYZ'].map((letter) => `${letter}-`).join('|'),
      Array.from({ length: 60 }, (_, index) => String(index + 1).padStart(2, '0')).join('|'),
    ],
  ],
  subscription: [
    [
      'Cuota|Tarifa|Plan|Abono|Matrícula|Inscripción|Membresía',
      ' individual| familiar| joven| de pareja| de empresa| infantil',
      ' de mañana| de tarde| de fin de semana| de verano| de pádel| de piscina| de gimnasio|' + ' de tenis',
    ],
  ],
  voucherType: [
    [
      'Bono de 10|Bono de 20|Bono de 5',
      ' pistas de tenis| entradas de piscina| clases de yoga| sesiones de gimnasio|' +
        ' clases de natación| clases de pilates| sesiones de fisioterapia| partidos de pádel|' +
        ' clases de pádel',
      ' de mañana| de tarde| de fin de semana| para jóvenes| para familias',
    ],
    [
      'Monedero',
      ' del bar| de la tienda| de la escuela| de torneos| de viaje| de regalo| de equipo|' +
        ' de verano| del personal',
      '| infantil| familiar| joven| sénior| plus| oro| plata| anual| de empresa| de pareja| júnior|' +
        ' básico| especial| de bienvenida| de cumpleaños| de Navidad| de aniversario',
    ],
  ],
  voucherCategory: [
    [
      'Bonos|Regalos|Ofertas|Abonos|Promociones|Packs|Tarjetas|Cheques|Invitaciones|Entradas|' +
        'Suplementos|Descuentos|Vales|Cupones|Pases|Lotes|Premios|Sorteos|Alquileres|Clases sueltas',
      ' de tenis| de natación| de yoga| de gimnasio| de la escuela| de verano| de invierno|' +
        ' de empresa| del bar| de la tienda| de torneos| de fin de semana| para familias|' +
        ' para jóvenes| para mayores| de bienvenida',
    ],
  ],
});

type Forms = Readonly<Record<string, readonly (readonly (readonly string[])[])[]>>;

function readForms(forms: Readonly<Record<string, readonly (readonly string[])[]>>): Forms {
  const read = (columns: readonly string[]) => columns.map((column) => column.split('|'));
  return Object.fromEntries(Object.entries(forms).map(([model, all]) => [model, all.map(read)]));
}

/** Whether a model has a list of names. Other records are named after a person or company. */
export function hasNames(model: string): boolean {
  return FORMS[model] !== undefined;
}

/** Returns the name of a record. Records of one model have different names: after all forms, a number follows. */
export function nameOf(model: string, id: number): string {
  const forms = FORMS[model] ?? [];
  const columns = forms[id % Math.max(1, forms.length)];
  if (columns === undefined) return `${model} ${id}`;
  const total = columns.reduce((product, { length }) => product * length, 1);
  const place = Math.floor(id / forms.length);
  let rest = (place * stepFor(total)) % total;
  const parts: string[] = [];
  for (const column of columns) {
    parts.push(column[rest % column.length] ?? '');
    rest = Math.floor(rest / column.length);
  }
  const round = Math.floor(place / total);
  return round === 0 ? parts.join('') : `${parts.join('')} ${round + 1}`;
}

/** Returns a step that visits all of `total` places, so that records next to each other have different words. */
function stepFor(total: number): number {
  let step = Math.max(1, Math.floor(total * 0.618));
  while (divisor(step, total) !== 1) step++;
  return step;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** All words of names, for tests. */
export const NAME_PARTS: readonly string[] = Object.values(FORMS)
  .flat(3)
  .filter((part) => part.length > 6);
