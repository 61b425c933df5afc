/** What records of a model are called in a sports club, by model. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  brand: ['Volea', 'Ñandú Sport', 'Fuente Clara', 'Puerto Rojo', 'Siete Mares', 'Alba', 'Cumbre', 'Rayo'],
  warehouse: ['Almacén', 'Tienda', 'Bar', 'Taller', 'Sótano', 'Recepción'],
  customerTag: ['Abonado', 'Familia', 'Infantil', 'Pádel', 'Natación', 'Empresa', 'Jubilado', 'Estudiante'],
  customerGroup: ['Escuela de tenis', 'Liga de pádel', 'Natación infantil', 'Yoga de mañana', 'Veteranos'],
  locker: ['Taquilla'],
  lockerType: ['Taquilla pequeña', 'Taquilla grande', 'Taquilla anual'],
  subscription: ['Cuota familiar', 'Cuota individual', 'Cuota de mañana', 'Abono anual', 'Abono joven'],
  voucherType: ['Bono de 10 usos', 'Bono de 20 usos', 'Monedero', 'Bono matinal', 'Bono de piscina'],
  voucherCategory: ['Bonos', 'Monederos', 'Regalos', 'Escuela'],
};

/** What stands in comments. */
export const SENTENCES = [
  'Prefiere que se le llame por la tarde.',
  'Revisado con el cliente en recepción.',
  'Pendiente de confirmar con el responsable.',
  'Se entregó en mano.',
  'Válido también los festivos.',
  'Sin cambios desde la última visita.',
];
