/**
 * Ways of frameworks and databases that break no statement of the source. They differ in the values that they refuse,
 * change, or fill in, and in their form. The first option of each is the usual one.
 */
export const MANNERS = {
  /** How texts that are empty are taken, as by ConvertEmptyStringsToNull or blank=False. */
  empty: ['no value', 'kept', 'refused'],
  /** Line ends and Unicode. */
  texts: ['kept', 'normalised'],
  emails: ['kept', 'lowered'],
  /** Characters beyond the basic plane, and control characters, in a database of three bytes a character. */
  emoji: ['kept', 'refused'],
  /** A length for each column, as `varchar(20)`. */
  columns: ['free', 'short'],
  numbers: ['any', 'not negative', '32 bits'],
  /** Whether an amount or a percentage with more than two decimals is refused. */
  decimals: ['any', 'two'],
  /** null for an optional field; with `ignored`, an update keeps its value. */
  nulls: ['taken', 'refused', 'ignored'],
  /** Numbers as texts, as a form has them. */
  coerces: ['no', 'yes'],
  /** Optional fields that are not sent get a value. */
  defaults: ['none', 'filled'],
  /** Whether links must lead to records; with `inside`, also optional links to models outside the source. */
  linksLead: ['anywhere', 'to records', 'to records, and inside'],
  /** Names that are there once, those of deleted records included. */
  unique: ['nothing', 'names', 'names in any case', 'pairs of links'],
  /** The effect of a delete on records that refer to the record. */
  referred: ['stays', 'restrict', 'cascade', 'unlink'],
  /** A delete of a deleted record, or of an ID that never existed. */
  again: ['missing', 'fine', 'always fine'],
  /** How a list without a record is written, as Go writes a nil slice, or leaves out what is empty. */
  noRecords: ['empty', 'null', 'left out'],
  /** An update that changes nothing. */
  noChange: ['fine', 'refused'],
  /** Whether a write returns the stored record or the sent values. */
  echo: ['stored', 'sent'],
  ids: ['counted', 'used again', 'by seven', 'shared', 'large'],
  order: ['id', 'newest', 'changed'],
  sort: ['none', 'field'],
  /** A path with an id that is no number. */
  oddId: ['missing', 'invalid'],
  tooMany: ['capped', 'refused'],
  /** How drivers and serializers show an accepted number, ID, or value. A day at midnight is also accepted. */
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
  /** The parent of a line that a client creates by itself. */
  loneLines: ['stay alone', 'share a draft', 'join the newest', 'get a parent'],
  media: ['json', 'charset', 'vnd.api', 'hal'],
  /** Whether a refusal has an error status, or an error in the body of a success. */
  refusals: ['in the status', 'in the body'],
  writing: ['compact', 'pretty', 'escaped'],
  connection: ['kept', 'closed'],
} as const;

export type Manners = { readonly [Name in keyof typeof MANNERS]: (typeof MANNERS)[Name][number] };
