/**
 * Describes the report formats, by the name of their flag (`--junit FILE`). It is apart from their code because the command
 * reads it at every start.
 */
export const FORMATS = {
  json: 'all results as JSON (results.schema.json)',
  junit: 'JUnit XML',
  markdown: 'a Markdown summary, short enough for a CI step summary',
  html: 'the report as one HTML page',
  har: 'the requests and responses of failed cases as an HTTP archive (HAR)',
  sarif: 'the failed cases as SARIF, for code scanning',
  github: 'annotations for GitHub Actions',
} as const;

export type FormatName = keyof typeof FORMATS;
