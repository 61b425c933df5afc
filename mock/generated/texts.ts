import { drawFirst } from './people.ts';
import type { Random } from './random.ts';

/**
 * The texts of fields. `{day}` is a weekday, `{time}` a time, `{n}` a small number, `{month}` a month, `{who}` a first
 * name, and `{where}` a place in the club.
 */
const SOURCE = `
customer.description: Juega al pádel los {day} a las {time}.|Viene a la piscina {n} veces por semana.
Prefiere que se le llame a partir de las {time}.|Entrena con {who} los {day}.|Quiere cambiar de grupo en {month}.
Tiene {n} hijos en la escuela de tenis.|Participa en el torneo de {month}.|Deja siempre la bolsa en {where}.
customer.alert: Falta la autorización para el torneo de {month}.|Alergia al látex.|Avisar a {who} cuando llegue.
Certificado médico caducado en {month}.|Pendiente de firmar el contrato.|Tiene un objeto perdido en {where}.
customer.invoiceComments: Enviar las facturas antes del día {n} de cada mes.|Mandar copia a {who}, de administración.
Indicar el número de pedido en cada factura.|Facturar el torneo de {month} por separado.
warehouse.comments: La llave está en {where}.|Inventario el primer {day} de cada mes.|Responsable: {who}.
Cerrado en {month}.|Entregas hasta las {time}.|Tiene {n} estanterías libres.
stockOrder.comments: Entregar en {where} antes de las {time}.|Pedido para el torneo de {month}.|No entregar en {day}.
Avisar a {who} cuando llegue el camión.|Precios acordados con {who} en {month}.|Se puede partir en {n} envíos.
supplier.comments: Reparte los {day} por la mañana.|Portes pagados a partir de {n}00 €.|Contacto: {who}, de ventas.
Cierra por vacaciones en {month}.|Acepta devoluciones en {n} días.|Pide los pedidos antes de las {time}.
stockTransaction.comments.0: Entrega completa.|Recibido por {who}.|Llegó con {n} días de retraso.|Descargado en {where}.
stockTransaction.comments.1: Recuento de {month}.|Contado por {who} y el encargado.|Recuento del {day} por la noche.
stockTransaction.comments.2: Traslado a {where}.|Trasladado para el torneo de {month}.|Llevado por {who}, de la tienda.
stockTransaction.comments.3: Venta en el mostrador.|Venta en el torneo de {month}.|Reservado por teléfono por {who}.
stockTransaction.comments.4: Envase roto.|Faltaba en el recuento de {month}.|Apareció en {where}.|Roto en {month}.
voucher.comments: Regalo de {who}.|Lo comparte con {who}.|Comprado en el mostrador, un {day}.
Premio del torneo de {month}.|Sustituye a uno caducado en {month}.|Avisar cuando queden {n} usos.
voucherType.shortDescription.1: Saldo para pagar en el club.|Se recarga en recepción y en la web.|El saldo no caduca.
voucherType.shortDescription.3: Se puede compartir con la familia.|Un uso por persona y día.|No incluye el material.
Reserva con {n} días de antelación.|Válido también los festivos.|Incluye el uso del vestuario.
voucherPrice.description: Precio de la temporada de {month}.|Precio en el mostrador.|Oferta de {month}.
Precio de la web, con pago por adelantado.|Precio para grupos desde {n} personas.|Válido hasta nueva tarifa.
subscriptionAddon.comments: Añadido por {who} en recepción.|Se añadió en {month}.|Incluye {n} usos por semana.
Se revisa en {month}.|A petición del titular, por teléfono.
subscriptionCustomer.comments: Alta hecha por {who} en recepción.|Llamar en {month} para renovar.
Viene los {day} a las {time}.|Pidió cambiar a otra cuota en {month}.|Firmó el contrato un {day}.
subscriptionCustomer.publicComments: Clases los {day} a las {time}.|Punto de encuentro: {where}.|Monitor: {who}.
Sin clase en la primera semana de {month}.|Traiga toalla y candado.
subscription.description: Acceso a {where} en el horario de la cuota.|Incluye {n} clases dirigidas por semana.
Incluye {n} invitaciones al año.|Sin matrícula en {month}.|Se puede congelar hasta {n} meses.
shareTransfer.comments: Gastos de transmisión a cargo del comprador.|Aprobada por la junta de {month}.
Transmisión entre familiares.|Pago en {n} plazos.|El vendedor conserva la taquilla hasta {month}.
taskComment.body: Hecho. Lo revisó {who} el {day} a las {time}.|Lo dejo para el {day}, porque *{where}* está ocupada.
Llamé {n} veces al técnico y no contesta.|Presupuesto recibido: **{n}50 €**. Lo aprueba {who}.
{who} pide que esté listo antes de {month}.|El cliente está conforme. Se puede cerrar.
Ver el aviso de {month}: es la *misma* avería.|Falta una bombilla en {where}.¶- pedir el repuesto¶- avisar a {who}`;

/** The texts by the key of their field. */
export const TEXTS: ReadonlyMap<string, readonly string[]> = new Map(
  SOURCE.split(/\n(?=[a-zA-Z]+\.[a-zA-Z.0-9]+: )/).flatMap((row): [string, string[]][] => {
    const [, key = '', texts = ''] = /^([\w.]+): ([\s\S]+)$/.exec(row) ?? [];
    return key === '' ? [] : [[key, texts.split(/[|\n]/).map((text) => text.replaceAll('¶', '\n'))]];
  }),
);

/** The titles of metrics and their maximum. */
export const METRICS =
  `socios.activos=900 socios.altas=40 taquillas.ocupadas=300 ventas.tienda=6000 accesos.torno=1400
reservas.padel=420 bonos.usos=380`
    .split(/\s/)
    .map((metric) => metric.split('='));

export const TENANTS = ['club-ribera', 'club-marina', 'club-sierra'];

const SLOTS: Readonly<Record<string, readonly string[]>> = {
  day: ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'],
  month: 'enero febrero marzo abril mayo junio julio septiembre octubre noviembre diciembre'.split(' '),
  where: 'la recepción|la pista 2|la pista 5|la piscina|la sala de pesas|la tienda|la sala de yoga'.split(
    '|',
  ),
};

/** Returns a text for a field; undefined for fields without texts. */
export function drawText(key: string, random: Random): string | undefined {
  const texts = TEXTS.get(key);
  return texts && random.pick(texts).replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, random));
}

function fill(slot: string, random: Random): string {
  const words = SLOTS[slot];
  if (words) return random.pick(words);
  if (slot === 'time') return `${random.int(9, 21)}:${random.pick(['00', '15', '30', '45'])}`;
  return slot === 'who' ? drawFirst(random) : String(random.int(2, 8));
}
