/** A place with what addresses in it have in common. Without `zip`, addresses have no postal code. */
export type Locality = {
  readonly country: number;
  readonly prefix: string;
  readonly province: string;
  readonly city: string;
  readonly zip?: number;
  /** How many postal codes from `zip` on belong to the city. */
  readonly zips?: number;
  readonly canton?: string;
  readonly district?: string;
  readonly code?: string;
};

/** Provinces of Spain, with the first postal code of their capital and of other cities. Its first digits are the province. */
const SPAIN = `
Álava: 01001 Vitoria-Gasteiz, 01400 Llodio
Alicante: 03001 Alicante, 03201 Elche, 03501 Benidorm
Badajoz: 06001 Badajoz, 06800 Mérida
Illes Balears: 07001 Palma, 07300 Inca, 07800 Ibiza
Barcelona: 08001 Barcelona, 08911 Badalona, 08201 Sabadell, 08301 Mataró
Burgos: 09001 Burgos, 09400 Aranda de Duero
Cáceres: 10001 Cáceres, 10600 Plasencia
Cádiz: 11001 Cádiz, 11401 Jerez de la Frontera, 11201 Algeciras
Castellón: 12001 Castellón de la Plana, 12540 Vila-real
Córdoba: 14001 Córdoba, 14900 Lucena
A Coruña: 15001 A Coruña, 15701 Santiago de Compostela, 15401 Ferrol
Girona: 17001 Girona, 17600 Figueres
Granada: 18001 Granada, 18600 Motril
Gipuzkoa: 20001 San Sebastián, 20301 Irun, 20600 Eibar
León: 24001 León, 24400 Ponferrada
La Rioja: 26001 Logroño, 26500 Calahorra
Madrid: 28001 Madrid, 28901 Getafe, 28801 Alcalá de Henares, 28931 Móstoles
Málaga: 29001 Málaga, 29601 Marbella, 29640 Fuengirola
Murcia: 30001 Murcia, 30201 Cartagena, 30800 Lorca
Navarra: 31001 Pamplona, 31500 Tudela
Asturias: 33001 Oviedo, 33201 Gijón, 33400 Avilés
Las Palmas: 35001 Las Palmas de Gran Canaria, 35200 Telde
Pontevedra: 36001 Pontevedra, 36201 Vigo
Salamanca: 37001 Salamanca, 37700 Béjar
Santa Cruz de Tenerife: 38001 Santa Cruz de Tenerife, 38201 San Cristóbal de La Laguna
Cantabria: 39001 Santander, 39300 Torrelavega
Sevilla: 41001 Sevilla, 41701 Dos Hermanas, 41400 Écija
Tarragona: 43001 Tarragona, 43201 Reus
Toledo: 45001 Toledo, 45600 Talavera de la Reina
Valencia: 46001 Valencia, 46701 Gandia, 46500 Sagunto
Valladolid: 47001 Valladolid, 47400 Medina del Campo
Bizkaia: 48001 Bilbao, 48901 Barakaldo, 48930 Getxo
Zaragoza: 50001 Zaragoza, 50300 Calatayud`;

/** Costa Rica, whose addresses have a canton and a district: the code of the district comes first. */
const COSTA_RICA = `
San José: 10101 Central/Carmen, 10102 Central/Merced, 10201 Escazú/Escazú, 10301 Desamparados/Desamparados
Alajuela: 20101 Central/Alajuela, 20301 Grecia/Grecia
Cartago: 30101 Central/Oriental, 30201 Paraíso/Paraíso
Heredia: 40101 Central/Heredia, 40301 Santo Domingo/Santo Domingo`;

function readRows(rows: string): [province: string, code: string, place: string][] {
  return rows
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [province = '', places = ''] = row.split(': ');
      return places
        .split(', ')
        .map((at): [string, string, string] => [province, at.slice(0, 5), at.slice(6)]);
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

export const STREETS = [
  'Calle Mayor',
  'Calle del Almendro',
  'Calle de la Estación',
  'Calle de los Olivos',
  'Calle Nueva',
  'Calle del Molino',
  'Calle de la Fuente',
  'Calle San Antón',
  'Calle de las Eras',
  'Calle Cervantes',
  'Avenida de la Constitución',
  'Avenida del Parque',
  'Avenida de Europa',
  'Paseo de la Alameda',
  'Paseo del Río',
  'Plaza de España',
  'Plaza del Mercado',
  'Camino de la Ermita',
  'Ronda Norte',
  'Travesía del Carmen',
];
