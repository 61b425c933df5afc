import type { Contract } from '../../spec/contract.ts';
import { kitFile } from '../../spec/files/kit-file.ts';
import { orList, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { Decoration } from '../decoration.ts';
import { type At, atPlace, type Defect, type DefectPlace } from './defect.ts';
import { LISTED } from './listed.ts';
import { onEngine } from './on-engine.ts';
import { callOf } from './on-wire.ts';
import { placesOf } from './places.ts';
import { REQUESTS } from './requests.ts';
import { RESPONSES } from './responses.ts';
import { WRITTEN } from './written.ts';

const ROWS = readYamlFile(kitFile('mock/defects/defects.yaml')).value as Readonly<Record<string, Defect>>;

/** Every defect: each breaks the contract in one way. The engine knows none of them. */
export const DEFECTS: readonly Defect[] = Object.entries(ROWS).map(([name, row]) => ({
  ...row,
  name,
  places: (model, contract) => placesOf(row.where, model, contract),
  request: REQUESTS[name],
  record: WRITTEN[name] ?? LISTED[name],
  response: RESPONSES[name],
}));

/** A defect at the places where it is wanted. */
export type PlacedDefect = { readonly defect: Defect; readonly places: readonly DefectPlace[] };

/**
 * Reads `NAME[:model[.field][=detail]]`. `NAME` alone means all places where the defect applies. Throws UsageError for
 * an unknown name, and for a place where the defect has no effect.
 */
export function parseDefect(text: string, contract: Contract): PlacedDefect {
  const [, name = '', rest] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const defect = DEFECTS.find((known) => known.name === name);
  if (!defect)
    throw new UsageError(
      `${unexpected(
        'defect',
        name,
        DEFECTS.map((known) => known.name),
        'in --defect',
      )} To list the defects, run: record-model mock --list-defects`,
    );
  const all = [...contract.catalogue.models.values()].flatMap((model) => defect.places(model, contract));
  const places = rest === undefined ? all : narrow(rest, defect, all, contract);
  if (places.length > 0) return { defect, places };
  throw new UsageError(
    `--defect ${text} has no effect with this catalogue and profile. Use another defect, model, or profile.`,
  );
}

/** Returns the decoration of a mock that has the defect. Requests only pass through the changes for their model. */
export function decorateWith({ defect, places }: PlacedDefect, contract: Contract): Decoration {
  const { anyName, record, request, response } = defect;
  const all = places.map((place) => atPlace(place, contract));
  return {
    readDraft: (inner) => (request ? all.reduce(request, inner) : inner),
    engine: (inner) =>
      record
        ? all.reduce((layer, at) => onEngine(at.model, (own) => record(own, at)).engine(layer), inner)
        : inner,
    handle: (inner, service) => {
      if (!response) return inner;
      const wrap = (some: readonly At[]) => some.reduce((layer, at) => response(layer, at, service), inner);
      if (anyName) return wrap(all);
      const byModel = Map.groupBy(all, ({ model }) => model.name);
      const routes = new Map([...byModel].map(([name, some]) => [name, wrap(some)]));
      return (asked) => (routes.get(callOf(asked, contract)?.name ?? '') ?? inner)(asked);
    },
  };
}

/** `model.field=detail`, as ids of cases write it. */
export function nameOfPlace({ detail, field, model }: DefectPlace): string {
  return `${model.name}${field ? `.${field.name}` : ''}${detail === undefined ? '' : `=${detail}`}`;
}

function narrow(rest: string, { name }: Defect, all: readonly DefectPlace[], { catalogue }: Contract) {
  const [, modelName = '', fieldName, detail] = /^([^.=]*)(?:\.([^=]*))?(?:=(.*))?$/s.exec(rest) ?? [];
  const model = catalogue.models.get(modelName);
  if (!model)
    throw new UsageError(unexpected('model', modelName, [...catalogue.models.keys()], `in --defect ${name}`));
  const inModel = all.filter((place) => place.model === model);
  const others = orList([...new Set(all.map((place) => place.model.name))].slice(0, 5));
  if (inModel.length === 0)
    throw new UsageError(`--defect ${name} does not apply to ${modelName}. Use a model such as ${others}.`);
  const inField = pick('field', fieldName, inModel, ({ field }) => field?.name);
  return pick('detail', detail, inField, (place) => place.detail);

  function pick(
    kind: string,
    wanted: string | undefined,
    places: readonly DefectPlace[],
    wordOf: (place: DefectPlace) => string | undefined,
  ): readonly DefectPlace[] {
    const found = wanted === undefined ? places : places.filter((place) => wordOf(place) === wanted);
    if (found.length > 0) return found;
    const known = [...new Set(places.map(wordOf))].filter((word) => word !== undefined);
    throw new UsageError(
      known.length === 0
        ? `--defect ${name} has no ${kind} here. Remove ${JSON.stringify(wanted)}.`
        : unexpected(kind, wanted, known, `in --defect ${name}`),
    );
  }
}
