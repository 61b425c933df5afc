/**
 * The formats a run can be written in, by the name of the option that takes the file: `--junit FILE`, with what the help
 * says of each. Apart from what writes them: the command reads this at every start.
 */
export const FORMATS = {
  json: 'the results with every case, as results.schema.json has it',
  junit: 'JUnit XML, which CI systems read',
  markdown: 'a summary in Markdown, which fits a CI step summary',
  html: 'one page to look at and search, which needs nothing else',
  har: 'the exchanges of the cases that did not pass, as an HTTP archive',
  sarif: 'the failed cases for code scanning',
  github: 'annotations, as a GitHub workflow reads them from standard output',
} as const;

export type FormatName = keyof typeof FORMATS;
