import { email } from './email.ts';
import { text } from './text.ts';
import { url } from './url.ts';

/** The types whose values are texts; an image is named by its address. */
export const TEXT_TYPES = { string: text, text, markdown: text, email, url, image: url };
