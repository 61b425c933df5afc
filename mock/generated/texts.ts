import type { Faker } from '@faker-js/faker';

/**
 * Texts by `model.field`, which fit the model. `{…}` is replaced: `{day}` by a weekday, `{time}` by a time, `{n}` by a
 * small number, `{month}` by a month, `{who}` by a first name, and `{where}` by a place in the club.
 */
export const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'customer.description': [
    'Juega al pádel los {day} a las {time}.',
    'Viene a la piscina {n} veces por semana.',
    'Prefiere que se le llame por la tarde, a partir de las {time}.',
    'Entrena con {who} los {day}.',
    'Se dio de alta por recomendación de {who}.',
    'Quiere cambiar de grupo en {month}.',
    'Tiene {n} hijos en la escuela de tenis.',
    'Deja siempre la bolsa en {where}.',
    'Participa en el torneo de {month}.',
  ],
  'customer.alert': [
    'Entregar el carné nuevo en recepción.',
    'Falta la autorización para el torneo de {month}.',
    'Alergia al látex.',
    'Certificado médico caducado en {month}.',
    'Avisar a {who} cuando llegue.',
    'Pendiente de firmar el contrato.',
    'Tiene un objeto perdido en {where}.',
  ],
  'customer.invoiceComments': [
    'Enviar las facturas antes del día {n} de cada mes.',
    'Indicar el número de pedido en cada factura.',
    'Agrupar los cargos en una sola factura al mes.',
    'Facturar el torneo de {month} por separado.',
    'Mandar copia a {who}, de administración.',
  ],
  'warehouse.comments': [
    'La llave está en {where}.',
    'Inventario el primer {day} de cada mes.',
    'Responsable: {who}.',
    'Cerrado en {month}.',
    'Solo entran paquetes de menos de {n}0 kg.',
    'Entregas hasta las {time}.',
    'Tiene {n} estanterías libres.',
  ],
  'stockOrder.comments': [
    'Entregar en {where} antes de las {time}.',
    'Pedido para el torneo de {month}.',
    'Avisar a {who} cuando llegue el camión.',
    'El proveedor puede partir la entrega en {n} envíos.',
    'No entregar en {day}.',
    'Precios acordados con {who} en {month}.',
    'Reposición para la temporada de {month}.',
  ],
  'supplier.comments': [
    'Reparte los {day} por la mañana.',
    'Portes pagados a partir de {n}00 €.',
    'Contacto: {who}, de ventas.',
    'Cierra por vacaciones en {month}.',
    'Acepta devoluciones en {n} días.',
    'Pide los pedidos antes de las {time}.',
  ],
  'stockTransaction.comments.0': [
    'Entrega completa del pedido.',
    'Recibido por {who}.',
    'Llegó con {n} días de retraso.',
    'Descargado en {where}.',
  ],
  'stockTransaction.comments.1': [
    'Recuento de {month}.',
    'Contado por {who} y el encargado.',
    'Recuento del {day} por la noche.',
  ],
  'stockTransaction.comments.2': [
    'Traslado a {where}.',
    'Para el torneo de {month}.',
    'Pedido por {who}, de la tienda.',
  ],
  'stockTransaction.comments.3': [
    'Venta en el mostrador.',
    'Venta en el torneo de {month}.',
    'Reservado por teléfono por {who}.',
  ],
  'stockTransaction.comments.4': [
    'Envase roto.',
    'Faltaba en el recuento de {month}.',
    'Apareció en {where}.',
    'Caducado en {month}.',
  ],
  'voucher.comments': [
    'Regalo de {who}.',
    'Lo comparte con {who}.',
    'Comprado en el mostrador, un {day}.',
    'Premio del torneo de {month}.',
    'Sustituye a uno caducado en {month}.',
    'Avisar cuando queden {n} usos.',
  ],
  'voucherType.shortDescription.1': [
    'Saldo para pagar en el club.',
    'Se recarga en recepción y en la web.',
    'El saldo no caduca.',
    'Para pagar sin efectivo en cualquier mostrador.',
  ],
  'voucherType.shortDescription.3': [
    'Se puede compartir con la familia.',
    'Un uso por persona y día.',
    'Reserva con {n} días de antelación.',
    'Válido también los festivos.',
    'No incluye el material.',
    'Incluye el uso del vestuario.',
  ],
  'voucherPrice.description': [
    'Precio de la temporada de {month}.',
    'Precio en el mostrador.',
    'Precio de la web, con pago por adelantado.',
    'Oferta de {month}.',
    'Precio para grupos desde {n} personas.',
    'Válido hasta nueva tarifa.',
  ],
  'subscriptionAddon.comments': [
    'Pedido por {who} en recepción.',
    'Se añadió en {month}.',
    'Incluye {n} usos por semana.',
    'Revisar en {month}.',
    'A petición del titular, por teléfono.',
  ],
  'subscriptionCustomer.comments': [
    'Alta hecha por {who} en recepción.',
    'Llamar en {month} para renovar.',
    'Viene los {day} a las {time}.',
    'Pidió cambiar a otra cuota en {month}.',
    'Firmó el contrato un {day}.',
  ],
  'subscriptionCustomer.publicComments': [
    'Clases los {day} a las {time}.',
    'Punto de encuentro: {where}.',
    'Monitor: {who}.',
    'Sin clase en la primera semana de {month}.',
    'Traiga toalla y candado.',
  ],
  'subscription.description': [
    'Acceso a {where} en el horario de la cuota.',
    'Incluye {n} clases dirigidas por semana.',
    'Incluye {n} invitaciones al año.',
    'Sin matrícula en {month}.',
    'Se puede congelar hasta {n} meses.',
    'Con un {n} % de descuento en la tienda.',
  ],
  'shareTransfer.comments': [
    'Gastos de transmisión a cargo del comprador.',
    'Aprobada por la junta de {month}.',
    'Transmisión entre familiares.',
    'Pago en {n} plazos.',
    'El vendedor conserva la taquilla hasta {month}.',
  ],
  'taskComment.body': [
    'Hecho. Lo revisó {who} el {day} a las {time}.',
    '**{Where}**: falta una bombilla.\n\n- pedir el repuesto\n- avisar a {who}',
    'Lo dejo para el {day}, porque *{where}* está ocupada hasta las {time}.',
    'Llamé {n} veces al técnico y no contesta.',
    'Presupuesto recibido: **{n}50 €**. Lo aprueba {who}.',
    '{who} pide que esté listo antes de {month}.',
    'Faltan {n} sillas en {where}.\n\n1. contarlas otra vez\n2. pedirlas a la tienda',
    'El cliente está conforme. Se puede cerrar.',
    'Queda pendiente la foto de {where}.',
    'Ver el aviso de {month}: es la *misma* avería.',
  ],
};

/** The title of a metric and its maximum. Amounts of money have two decimals. */
export const METRICS: readonly (readonly [name: string, most: number, isMoney?: true])[] = [
  ['socios.activos', 900],
  ['socios.altas', 40],
  ['socios.bajas', 25],
  ['taquillas.ocupadas', 300],
  ['monederos.saldo', 9000, true],
  ['existencias.valor', 24_000, true],
  ['ventas.tienda', 6000, true],
  ['ventas.bar', 11_000, true],
  ['accesos.torno', 1400],
  ['reservas.padel', 420],
  ['reservas.tenis', 260],
  ['bonos.usos', 380],
  ['cuotas.impagadas', 30],
];

export const TENANTS = ['club-ribera', 'club-marina', 'club-sierra'];

const DAYS = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'];
const MONTHS = 'enero febrero marzo abril mayo junio julio septiembre octubre noviembre diciembre'.split(' ');
const PLACES = [
  'la recepción',
  'la pista 2',
  'la pista 5',
  'la piscina',
  'la sala de pesas',
  'la tienda',
  'la cafetería',
  'la sala de yoga',
];

/** Fills a text of a field in. Returns undefined for fields without texts. */
export function drawText(key: string, faker: Faker): string | undefined {
  const texts = TEXTS[key];
  if (texts === undefined) return undefined;
  return faker.helpers.arrayElement(texts).replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, faker));
}

function fill(slot: string, faker: Faker): string {
  switch (slot) {
    case 'day':
      return faker.helpers.arrayElement(DAYS);
    case 'month':
      return faker.helpers.arrayElement(MONTHS);
    case 'time':
      return `${faker.number.int({ min: 9, max: 21 })}:${faker.helpers.arrayElement(['00', '15', '30', '45'])}`;
    case 'where':
      return faker.helpers.arrayElement(PLACES);
    case 'Where':
      return fill('where', faker).replace(/^l/, 'L');
    case 'who':
      return faker.person.firstName();
    default:
      return String(faker.number.int({ min: 2, max: 8 }));
  }
}
