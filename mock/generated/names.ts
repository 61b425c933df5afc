/** The parts of names by model: columns of alternatives. All names are those of a sports club. */
const SOURCE = `
brand: Cumbre|Rayo|Brisa|Duna|Faro|Lince|Nexo|Roble|Siroco|Vértice|Zarza|Boreal|Cierzo|Delta|Estela|Fénix
  & Sport| Pro| Activa| Tenis| Pádel| Fit| Norte| Sur| Agua| Textil| Natación| Outdoor
warehouse: Almacén|Tienda|Bar|Taller|Cámara|Depósito|Trastero|Cuarto|Nave|Armario|Bodega|Mostrador|Quiosco|Altillo
  & de la pista central| del solárium| del gimnasio| del pádel| de la recepción| del vestuario| de la escuela
company: Construcciones|Viajes|Talleres|Asesoría|Clínica|Autoescuela|Academia|Transportes|Librería|Farmacia
  & Azahar| Peñalara| Ribera| Miramar| Montesol| Almenara| Solana| Torrealta| Albero| Levante| Moncayo &, S.L.|, S.A.
supplier: Deportes|Suministros|Distribuciones|Textiles|Bebidas|Comercial|Equipamientos|Almacenes|Industrias
  & Arlanza| Bidasoa| Cinca| Duratón| Esla| Genil| Henares| Iregua| Jarama| Lozoya| Nalón| Odiel| Turia
  &, S.L.|, S.A.| e Hijos, S.L.| Hermanos, S.L.
customerTag: Abonado|Socio|Alumno|Invitado|Colaborador|Voluntario|Jugador|Entrenador|Monitor|Árbitro|Veterano|Tutor
  & de pádel| de tenis| de natación| de gimnasio| de yoga| de fin de semana| de verano| de mañana| de tarde
customerGroup: Liga|Escuela|Equipo|Grupo|Curso|Torneo|Peña
  & de tenis| de pádel| de natación| de yoga| de pilates| de baloncesto| de fútbol sala| de atletismo
  & júnior| sénior| infantil| de mañana| de tarde| de fin de semana| de perfeccionamiento
lockerType: Taquilla & pequeña| mediana| alta| doble| con enchufe| ventilada| con espejo| metálica| para palas
  &| de la piscina| del gimnasio| del pádel| del tenis| de la escuela| del personal| del frontón| de la grada
locker: A-|B-|C-|E-|F-|H-|J-|K-|L-|M-|N-|P-|Q-|R-|S-|T-|V-|Z- &0|1|2|3|4|5 &1|2|3|4|5|6|7|8|9
subscription: Cuota|Tarifa|Plan|Abono|Matrícula|Inscripción|Membresía
  & individual| familiar| joven| de pareja| de empresa| infantil
  & de mañana| de tarde| de fin de semana| de verano| de pádel| de piscina| de gimnasio| de tenis
voucherType: Bono de 10|Bono de 20|Bono de 5
  & pistas de tenis| entradas de piscina| clases de yoga| sesiones de gimnasio| clases de natación| partidos de pádel
  & de mañana| de tarde| de fin de semana| para jóvenes| para familias
purse: Monedero & del bar| de la tienda| de la escuela| de torneos| de viaje| de regalo| de equipo| de verano
  &| infantil| familiar| joven| sénior| plus| oro| plata| anual| de empresa| de pareja| básico| de Navidad
voucherCategory: Bonos|Regalos|Ofertas|Abonos|Promociones|Packs|Tarjetas|Cheques|Invitaciones|Entradas|Vales|Pases
  & de tenis| de natación| de yoga| de gimnasio| de la escuela| de verano| de invierno| de empresa| del bar`;

const PARTS = new Map(
  SOURCE.split(/\n(?=\w+: )/).flatMap((row): [string, string[][]][] => {
    const [, model = '', columns = ''] = /^(\w+): ([\s\S]+)$/.exec(row) ?? [];
    return model === '' ? [] : [[model, columns.split(/\s+&/).map((column) => column.trimEnd().split('|'))]];
  }),
);

/** Whether records of a model have a name that belongs to no person and no company. */
export const hasNames = (model: string): boolean => PARTS.has(model);

/** Returns the name of a record. Records of one model have different names: after all names, a number follows. */
export function nameOf(model: string, id: number): string {
  const isPurse = model === 'voucherType' && id % 2 === 1;
  const columns = PARTS.get(isPurse ? 'purse' : model);
  if (!columns) return `${model} ${id}`;
  const place = model === 'voucherType' ? Math.floor(id / 2) : id;
  const total = columns.reduce((product, { length }) => product * length, 1);
  // A step without a common divisor visits all names, and gives neighbors different words.
  let rest = (place * stepFor(total)) % total;
  const round = Math.floor(place / total);
  let name = '';
  for (const column of columns) {
    name += column[rest % column.length];
    rest = Math.floor(rest / column.length);
  }
  return round === 0 ? name : `${name} ${round + 1}`;
}

function stepFor(total: number): number {
  let step = Math.max(1, Math.floor(total * 0.618));
  while (divisor(step, total) !== 1) step++;
  return step;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** Long parts of names, for tests. */
export const NAME_PARTS = [...PARTS.values()].flat(2).filter((part) => part.length > 6);
