import type { Model } from '../../spec/catalogue/catalogue.ts';
import { nameOf } from './names.ts';
import type { Random } from './random.ts';

/** A place. Without `zip`, addresses have no postal code. `zips` is how many codes from `zip` on belong to the city. */
export type Locality = Readonly<{ country: number; prefix: string; province: string; city: string }> &
  Readonly<{ zip?: number; zips?: number; canton?: string; district?: string; code?: string }>;

/** Provinces of Spain with postal codes of cities. The first digits of a code are the province. */
const SPAIN = `
Álava: 01001 Vitoria-Gasteiz, 01400 Llodio. Alicante: 03001 Alicante, 03201 Elche. Badajoz: 06001 Badajoz, 06800 Mérida.
Illes Balears: 07001 Palma, 07800 Ibiza. Barcelona: 08001 Barcelona, 08911 Badalona. Burgos: 09001 Burgos.
Cáceres: 10001 Cáceres. Cádiz: 11001 Cádiz, 11201 Algeciras. Córdoba: 14001 Córdoba, 14900 Lucena.
A Coruña: 15001 A Coruña, 15401 Ferrol. Girona: 17001 Girona. Granada: 18001 Granada, 18600 Motril. León: 24001 León.
La Rioja: 26001 Logroño. Madrid: 28001 Madrid, 28901 Getafe. Málaga: 29001 Málaga, 29601 Marbella.
Murcia: 30001 Murcia, 30201 Cartagena. Navarra: 31001 Pamplona. Asturias: 33001 Oviedo, 33201 Gijón.
Las Palmas: 35001 Las Palmas de Gran Canaria. Pontevedra: 36001 Pontevedra, 36201 Vigo. Salamanca: 37001 Salamanca.
Cantabria: 39001 Santander. Sevilla: 41001 Sevilla, 41701 Dos Hermanas. Tarragona: 43001 Tarragona, 43201 Reus.
Toledo: 45001 Toledo. Valencia: 46001 Valencia, 46701 Gandia. Valladolid: 47001 Valladolid.
Bizkaia: 48001 Bilbao, 48901 Barakaldo. Zaragoza: 50001 Zaragoza, 50300 Calatayud.`;

/** Provinces of Costa Rica with the code, canton, and district of places. */
const COSTA_RICA = `
San José: 10101 Central/Carmen, 10201 Escazú/Escazú. Alajuela: 20101 Central/Alajuela, 20301 Grecia/Grecia.
Cartago: 30101 Central/Oriental. Heredia: 40101 Central/Heredia, 40301 Santo Domingo/Santo Domingo.`;

function readRows(rows: string): [province: string, code: string, place: string][] {
  return rows.split(/\.\s*/).flatMap((row) => {
    const [province = '', places = ''] = row.trim().split(': ');
    if (places === '') return [];
    return places.split(', ').map((at): [string, string, string] => [province, at.slice(0, 5), at.slice(6)]);
  });
}

export const SPANISH: readonly Locality[] = readRows(SPAIN).map(([province, code, city]) => ({
  country: 1,
  prefix: '+34',
  province,
  city,
  zip: Number(code),
  // A capital has several codes. The others have the one that is listed.
  zips: code.endsWith('001') ? 9 : 1,
}));

/** The countries have the IDs of the demo records. */
export const ABROAD: readonly Locality[] = readRows(COSTA_RICA).map(([province, code, at]) => {
  const [canton = '', district = ''] = at.split('/');
  const city = canton === 'Central' ? province : canton;
  return { country: 4, prefix: '+506', province, city, canton, district, code };
});

export const STREETS =
  `Calle Mayor|Calle del Almendro|Calle de la Estación|Calle de los Olivos|Calle Nueva|Calle del Molino|Calle de la Fuente
Calle de las Eras|Avenida de la Constitución|Avenida del Parque|Paseo de la Alameda|Paseo del Río|Plaza de España
Plaza del Mercado|Camino de la Ermita|Ronda Norte|Travesía del Carmen`.split(/[|\n]/);

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
