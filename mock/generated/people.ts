/** Frequent surnames. */
export const SURNAMES =
  `Aguilar Alonso Álvarez Arias Ballesteros Benítez Blanco Bravo Cabrera Calvo Cano Carrasco Castillo Castro
Cortés Crespo Cruz Delgado Díaz Domínguez Durán Escudero Esteban Fernández Ferrer Flores Fuentes Gallego García Garrido Gil
Giménez Gómez González Guerrero Gutiérrez Hernández Herrera Hidalgo Ibáñez Iglesias Izquierdo Jiménez León Lorenzo Lozano
Marín Martín Martínez Medina Méndez Molina Montero Mora Morales Moreno Muñoz Navarro Nieto Núñez Ortega Ortiz Parra Pascual
Peña Pérez Prieto Ramírez Ramos Reyes Rivera Rodríguez Romero Rubio Ruiz Sáez Sánchez Santana Santos Sanz Serrano Soler
Suárez Torres Vargas Vázquez Vega Velasco Vicente Vidal`.split(/\s+/);

/** Short forms of first names. */
export const SHORT: Readonly<Record<string, string>> = {
  Alberto: 'Berto',
  Alejandra: 'Ale',
  Alejandro: 'Álex',
  Antonia: 'Toñi',
  Antonio: 'Toni',
  Beatriz: 'Bea',
  Carmen: 'Menchu',
  Concepción: 'Concha',
  Cristina: 'Cris',
  Dolores: 'Lola',
  Eduardo: 'Edu',
  Enrique: 'Quique',
  Fernando: 'Nando',
  Francisca: 'Paqui',
  Francisco: 'Paco',
  Gabriela: 'Gabi',
  Gregorio: 'Goyo',
  Guillermo: 'Guille',
  Ignacio: 'Nacho',
  Isabel: 'Isa',
  Javier: 'Javi',
  Jesús: 'Chus',
  José: 'Pepe',
  Josefina: 'Fina',
  Manuel: 'Manolo',
  Manuela: 'Manoli',
  Mercedes: 'Merche',
  Miguel: 'Migue',
  Mónica: 'Moni',
  Patricia: 'Patri',
  Rafael: 'Rafa',
  Rosario: 'Charo',
  Santiago: 'Santi',
  Teresa: 'Tere',
  Verónica: 'Vero',
};
