/** How a place in an answer may name the model: as the catalogue writes it, or as frameworks do. */
const FORMS: Readonly<Record<string, (model: string) => string>> = {
  // The plural first: of brands it says more than a brand and an s.
  '{models}': plural,
  '{model}': (model) => model,
  '{model_names}': (model) => plural(apart(model, '_')),
  '{model_name}': (model) => apart(model, '_'),
  '{model-names}': (model) => plural(apart(model, '-')),
  '{model-name}': (model) => apart(model, '-'),
  '{Models}': (model) => plural(capital(model)),
  '{Model}': capital,
};

/** Every such form, as `{models}`. */
export const MODEL_FORMS: readonly string[] = Object.keys(FORMS);

/** The JSON pointer of a model's place: `/{model_names}`, `stockOrder` → `/stock_orders`. */
export function pointerFor(place: string, model: string): string {
  if (!place.includes('{')) return place;
  return place.replace(/\{[^}]*\}/g, (form) => FORMS[form]?.(model) ?? form);
}

/** The places that are this pointer for the model: with a form where the name stands, and the pointer itself. */
export function placesWith(pointer: string, model: string): string[] {
  const named = MODEL_FORMS.flatMap((form) => {
    const name = pointerFor(form, model);
    const at = pointer.indexOf(name);
    return at < 0 ? [] : [pointer.slice(0, at) + form + pointer.slice(at + name.length)];
  });
  return [...named, pointer];
}

/** `stockOrder` → `stock_order`. */
function apart(model: string, by: string): string {
  return model.replace(/(?<=.)[A-Z]/g, (letter) => by + letter).toLowerCase();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** By the usual rules of English; data are many already. */
function plural(word: string): string {
  if (/data$/i.test(word)) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}${/(s|x|z|ch|sh)$/.test(word) ? 'es' : 's'}`;
}
