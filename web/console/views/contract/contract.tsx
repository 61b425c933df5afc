import type { ContractFacts, FieldFacts, ModelFacts, SettingFacts } from '../../../../spec/meta/meta.ts';
import { Input, useText } from '../../../ui/input.tsx';
import { Table } from '../../../ui/parts.tsx';
import { countOf, matches, visible } from '../../../ui/text.ts';
import { addressOf } from '../../app/api.ts';
import { useConsole, useGet } from '../../app/context.ts';
import { ModelList } from '../../app/model-list.tsx';
import { href, useRoute } from '../../app/route.ts';

/** The contract: all models, one model with its fields, or the profile. */
export function ContractView() {
  const { api, facts } = useConsole();
  const { path } = useRoute();
  const [, part] = path;
  const model = part !== undefined && Object.hasOwn(facts.models, part) ? facts.models[part] : undefined;
  return (
    <div>
      <nav class="tabs" aria-label="Contract">
        <a href={href(['contract'])} aria-current={part === undefined ? 'page' : undefined}>
          Models
        </a>
        <a href={href(['contract', 'profile'])} aria-current={part === 'profile' ? 'page' : undefined}>
          Profile
        </a>
        <a href={`${addressOf(api)}__mock/docs`}>Swagger UI</a>
        <a href={`${api.root}openapi.yaml`}>openapi.yaml</a>
        <a href={`${api.root}openapi.json`}>openapi.json</a>
        <a href={`${api.root}__mock/openapi.json`}>Control API</a>
      </nav>
      {part === undefined && (
        <ModelList
          view="contract"
          noteOf={(model) => countOf(facts.models[model]?.operations.length ?? 0, 'operation')}
        />
      )}
      {part === 'profile' && <Profile key={api.session} />}
      {model && <ModelPage key={part} name={part ?? ''} model={model} />}
      {part !== undefined && part !== 'profile' && !model && (
        <p class="intro">
          There is no model {visible(part)}. <a href={href(['contract'])}>Show all models</a>
        </p>
      )}
    </div>
  );
}

function ModelPage({ name, model }: { name: string; model: ModelFacts }) {
  return (
    <div class="stack intro">
      <div class="tools">
        <h2>{name}</h2>
        <a href={href(['records', name])}>Records</a>
        <span class="soft">
          {model.area}
          {model.section !== undefined && `, section ${model.section}`}
        </span>
      </div>
      {model.description !== undefined && <p>{model.description}</p>}
      <p class="soft">
        <b>Stated</b>: the source says it. <b>Inferred</b>: from names; never a failure. <b>Assumed</b>: an
        option of the <a href={href(['contract', 'profile'])}>profile</a>.
      </p>
      <Table
        label={`Fields of ${name}`}
        titles={['Field', 'Type', 'Required', 'Readonly', 'Values and links', 'Section', 'Basis']}
      >
        {model.fields.map(rowOf)}
      </Table>
    </div>
  );
}

const TONES = { stated: 'pass', inferred: 'advice', assumed: 'blocked' } as const;

function rowOf(field: FieldFacts) {
  const { bases, description, lines, link, maxLength, name, outside, values } = field;
  // The facts that every field has are stated in the source.
  const others = Object.entries(bases).filter(([fact, basis]) => basis !== 'stated' || fact === 'values');
  return (
    <tr key={name}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>{lines === undefined ? field.type : `list of ${lines}`}</td>
      <td>{field.required ? 'required' : '–'}</td>
      <td>{field.readonly ? 'readonly' : '–'}</td>
      <td>
        {values && (
          <ul>
            {values.map(({ label, value }) => (
              <li key={value}>
                <code>{value}</code> {label}
              </li>
            ))}
          </ul>
        )}
        {link && (
          <>
            ID of <a href={href(['contract', link.model])}>{link.model}</a>{' '}
            <span class="soft">({link.reason})</span>
          </>
        )}
        {outside !== undefined && `ID of a ${outside}, which the catalogue does not describe`}
        {field.minLength !== undefined && ' not empty'}
        {maxLength !== undefined && ` at most ${maxLength} characters`}
        {description !== undefined && <span class="soft"> {description}</span>}
      </td>
      <td>{field.section}</td>
      <td>
        <span class={`badge ${others.some(([, basis]) => basis !== 'stated') ? 'skip' : 'pass'}`}>
          stated
        </span>{' '}
        {others.map(([fact, basis]) => (
          <span key={fact} class={`badge ${TONES[basis]}`}>
            {fact.replace('minLength', 'minimum length').replace('maxLength', 'maximum length')} {basis}
          </span>
        ))}
      </td>
    </tr>
  );
}

/** The settings of the session. Those that can change while the mock runs have a choice. */
function Profile() {
  const { facts } = useConsole();
  const { value } = useGet<ContractFacts>('/contract');
  const settings = value?.profile ?? facts.profile;
  const text = useText();
  const others = settings.filter((one) => !isUsual(one));
  // Those that differ come first.
  const found = [...others, ...settings.filter(isUsual)].filter(({ about, says, setting, value }) =>
    matches([setting, about, says, wordOf(value)], text.value),
  );
  return (
    <>
      <p class="intro">
        The source leaves these details open. The profile answers them.{' '}
        {others.length === 0
          ? 'All settings have their defaults.'
          : `${countOf(others.length, 'setting')} ${others.length === 1 ? 'differs' : 'differ'} from the defaults: ${others.map(({ setting }) => setting).join(', ')}.`}
      </p>
      <search class="tools filters">
        <Input kind="search" label="Filter settings" {...text} />
      </search>
      {found.length === 0 && <p class="soft">No setting has these words.</p>}
      <dl class="stack settings wrap">
        {found.map((setting) => (
          <Setting key={setting.setting} facts={setting} />
        ))}
      </dl>
    </>
  );
}

function isUsual({ default: usual, value }: SettingFacts): boolean {
  return JSON.stringify(usual) === JSON.stringify(value);
}

/** Returns the values that the reader can choose while the mock runs. */
function choicesOf({ live, options, value }: SettingFacts): readonly string[] {
  const isPages = (one: unknown): one is Readonly<Record<'style' | 'default' | 'max', unknown>> =>
    typeof one === 'object' && one !== null && 'style' in one;
  const sizes = options.flatMap((one) =>
    isPages(one) && isPages(value) ? { ...value, default: one.default, max: one.max } : [],
  );
  const all = live === 'sizes' ? sizes : options;
  return [...new Set([value, ...all].map((one) => JSON.stringify(one)))];
}

function Setting({ facts }: { facts: SettingFacts }) {
  const { api, run } = useConsole();
  const { about, closed, default: usual, live, options, says, section, setting, unknown, value } = facts;
  const differs = !isUsual(facts);
  const change = (text: string) => {
    const wanted = JSON.parse(text);
    run(() => api.put('/profile', { [setting]: wanted }), `${setting} is ${wordOf(wanted)} in this session.`);
  };
  return (
    <div class="card">
      <dt>
        <code>{setting}</code>{' '}
        <span class={`badge ${differs ? 'advice' : 'skip'}`}>{visible(wordOf(value))}</span>
        {unknown && <span class="badge blocked">unknown</span>}
        {differs && <span class="soft"> default {wordOf(usual)}</span>}
        {live && (
          <Input
            label={`Value of ${setting} in this session`}
            value={JSON.stringify(value)}
            options={choicesOf(facts).map((one) => [one, wordOf(JSON.parse(one))])}
            change={change}
          />
        )}
      </dt>
      <dd>
        {about.split('`').map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}{' '}
        <span class="soft">
          {says !== undefined && `${says} ${section === undefined ? '' : `(section ${section}) `}`}
          {closed ? 'Options' : 'Such as'}: {options.map(wordOf).join(', ')}.
        </span>
      </dd>
    </div>
  );
}

function wordOf(value: unknown): string {
  if (value === '') return 'the whole body';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
