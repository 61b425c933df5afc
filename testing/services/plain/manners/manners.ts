/**
 * Manners of frameworks and databases that break nothing the source states: what they refuse, tidy up, fill in, and how
 * they write it. The first choice of each is the plain one.
 */
export const MANNERS = {
  /** How texts that are empty are taken, as by ConvertEmptyStringsToNull or blank=False. */
  empty: ['kept', 'no value', 'refused'],
  /** Line ends and Unicode. */
  texts: ['kept', 'normalised'],
  emails: ['kept', 'lowered'],
  /** Characters beyond the basic plane, and control characters, in a database of three bytes a character. */
  emoji: ['kept', 'refused'],
  /** A length for each column, as `varchar(20)`. */
  columns: ['free', 'short'],
  numbers: ['any', 'not negative', '32 bits'],
  /** What has more than two decimals is refused, of money and percentages. */
  decimals: ['any', 'two'],
  /** null for an optional field. */
  nulls: ['taken', 'refused'],
  /** Numbers as texts, as a form has them. */
  coerces: ['no', 'yes'],
  /** Optional fields that are not sent get a value. */
  defaults: ['none', 'filled'],
  /** Links have to lead to records; optional ones to what the source has no model of may have to as well. */
  linksLead: ['anywhere', 'to records', 'to records, and inside'],
  /** Names that are there once, those of deleted records included. */
  unique: ['nothing', 'names', 'names in any case'],
  /** What a delete does to what refers to the record. */
  referred: ['stays', 'restrict', 'cascade', 'unlink'],
  /** A delete of what is deleted, or of what never was. */
  again: ['missing', 'fine', 'always fine'],
  /** How a list without a record is written, as Go writes a nil slice, or leaves out what is empty. */
  noRecords: ['empty', 'null', 'left out'],
  /** An update that changes nothing. */
  noChange: ['fine', 'refused'],
  /** What the answer to a write shows: what the database holds, or the object that was written. */
  echo: ['stored', 'sent'],
  ids: ['counted', 'used again', 'by seven', 'shared', 'large'],
  order: ['id', 'newest', 'changed'],
  sort: ['none', 'field'],
  /** A path with an id that is no number. */
  oddId: ['missing', 'invalid'],
  tooMany: ['capped', 'refused'],
  /** What is taken as a number, an id or a value, as drivers and serialisers show it; a day at midnight is taken too. */
  shows: ['as taken', 'decimals as texts', 'links as objects', 'days at midnight'],
  stamps: ['milliseconds', 'seconds', 'microseconds', 'offset'],
  users: ['zero', 'none', 'seven'],
  extras: ['none', 'links'],
  /** The order of linked records and days says nothing. */
  sets: ['kept', 'sorted'],
  /** Totals of lines are worked out by the service. */
  totals: ['taken', 'worked out'],
  /** The lines of an update: new ones, or the ones that were there changed. */
  lineIds: ['new', 'kept'],
  media: ['json', 'charset', 'vnd.api', 'hal'],
  /** Where a refusal stands: in the status, or beside a status of success. */
  refusals: ['in the status', 'in the body'],
  writing: ['compact', 'pretty', 'escaped'],
  connection: ['kept', 'closed'],
} as const;

export type Manners = { readonly [Name in keyof typeof MANNERS]: (typeof MANNERS)[Name][number] };
