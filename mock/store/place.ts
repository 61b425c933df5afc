export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:/i.test(place);
}

/** The place as it may be shown: the password of a database may stand before its host, or in the query. */
export function showPlace(place: string): string {
  if (!isPostgres(place)) return place;
  if (!URL.canParse(place)) return 'the database';
  const url = new URL(place);
  url.password = '';
  url.search = '';
  return url.href;
}
