import type { Model } from '../../spec/catalogue/catalogue.ts';
import { nameOf } from './names.ts';
import { ABROAD, type Locality, SPANISH } from './places.ts';
import type { Random } from './random.ts';

const FEMALE =
  `Alejandra Ana Antonia Beatriz Carmen Clara Concepción Cristina Dolores Elena Gabriela Inés Isabel Josefina Julia
Laura Lucía Manuela Marta Mercedes Mónica Nuria Patricia Pilar Raquel Rocío Rosario Sara Sofía Teresa Verónica`.split(
    /\s/,
  );
const MALE =
  `Alberto Alejandro Andrés Antonio Carlos Daniel David Diego Eduardo Enrique Fernando Francisco Gregorio Guillermo
Ignacio Javier Jesús Jorge José Juan Luis Manuel Marcos Mario Miguel Pablo Pedro Rafael Raúl Santiago Sergio Tomás`.split(
    /\s/,
  );

const SURNAMES =
  `Aguilar Alonso Álvarez Arias Benítez Blanco Bravo Cabrera Calvo Cano Carrasco Castillo Castro Cortés Crespo
Cruz Delgado Díaz Domínguez Durán Esteban Fernández Ferrer Flores Fuentes Gallego García Garrido Gil Giménez Gómez González
Guerrero Gutiérrez Hernández Herrera Hidalgo Ibáñez Iglesias Jiménez León Lorenzo Lozano Marín Martín Martínez Medina Méndez
Molina Montero Mora Morales Moreno Muñoz Navarro Nieto Núñez Ortega Ortiz Parra Pascual Peña Pérez Prieto Ramírez Ramos Reyes
Rivera Rodríguez Romero Rubio Ruiz Sáez Sánchez Santana Santos Sanz Serrano Soler Suárez Torres Vargas Vázquez Vega
Vicente Vidal`.split(/\s/);

/** The person or company that a record is about, and where it is. All fields of the record follow from it. */
export type Subject = Readonly<{ isCompany: boolean; name: string; first: string; last: string }> &
  Readonly<{ sex: 'female' | 'male'; place: Locality; zip: string }>;

/** Whether the records of a model are about people. */
export function isOfPeople({ fields }: Model): boolean {
  return fields.some(({ name }) => /^(birthdate|gender|firstName)$/.test(name));
}

/** Draws a first name. */
export function drawFirst(random: Random): string {
  return random.pick(random.pick([FEMALE, MALE]));
}

/** Draws the subject of a record. A customer can be a company, too. */
export function drawSubject(random: Random, model: Model, id: number): Subject {
  const canBeCompany = model.fields.some(({ name }) => name === 'isCompany');
  const isPerson = isOfPeople(model) && !(canBeCompany && random.chance(0.05));
  const place = random.pick(isPerson && random.chance(0.03) ? ABROAD : SPANISH);
  const zip = place.zip === undefined ? 0 : place.zip + random.int(0, (place.zips ?? 1) - 1);
  const of = { place, zip: zip === 0 ? '' : String(zip).padStart(5, '0') };
  if (!isPerson) {
    const name = nameOf(isOfPeople(model) ? 'company' : model.name, id);
    return { ...of, isCompany: true, name, first: name, last: '', sex: 'female' };
  }
  const sex = random.pick(['female', 'male'] as const);
  const first = random.pick(sex === 'female' ? FEMALE : MALE);
  const last = `${random.pick(SURNAMES)} ${random.pick(SURNAMES)}`;
  return { ...of, isCompany: false, name: `${first} ${last}`, first, last, sex };
}

/** Returns letters, digits, and a separator only, as in addresses. */
export function slug(text: string, separator: string): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join(separator);
}

/** Returns the name of the image of a record. The mock draws the initials of its first two words. */
export function imageName({ first, last }: Pick<Subject, 'first' | 'last'>, id: number): string {
  const words = slug(`${first} ${last}`, '-').split('-');
  const said = words.filter((word) => !/^(a|al|con|de|del|el|la|las|los|y)$/.test(word));
  return [...said.slice(0, 2), id].join('-').slice(0, 100);
}

/** Returns a tax number, of a person with its check letter. None of them is in use, because they begin with zeros. */
export function taxNumber(isCompany: boolean, id: number): string {
  const number = String(id % 10_000_000).padStart(8, '0');
  return isCompany ? `B${number}` : `${number}${checkLetter(id)}`;
}

export function checkLetter(id: number): string {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[(id % 10_000_000) % 23] ?? '';
}
