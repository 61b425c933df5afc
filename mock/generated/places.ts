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
