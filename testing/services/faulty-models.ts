/** Some models of section 2 with their fields: `!` is required, `-` readonly. */
export const MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  brand: { name: 'text!' },
  warehouse: { name: 'text!', comments: 'text' },
  customerTag: { name: 'text!', isDefault: 'bool!', public: 'bool!' },
  voucherCategory: { name: 'text!', priority: 'int!' },
  lockerType: { name: 'text!', subscription: 'int' },
  locker: { name: 'text!', type: 'int!', status: '0|1!' },
  multipack: { start: 'date', end: 'date', online: 'bool!' },
  productSplit: {
    parentProduct: 'int!',
    product: 'int!',
    percent: 'number',
    value: 'number',
    amount: 'number!',
  },
  taskComment: { body: 'text!' },
  deposit: { customer: 'int!', balance: 'number!', endDate: 'date', sale: 'int' },
  bookingDrawItem: {
    blocking: 'int!',
    customer: 'int!',
    option: 'int!',
    groupId: 'int!',
    position: 'int!',
    rejections: 'int!',
    rejectionsAverage: 'number!',
    options: 'int!',
    status: '0|1|2|3!',
    resource: 'int',
  },
};
const COMMON = ['id', 'created', 'createUser', 'updated', 'updateUser', 'deleted'];

/** Returns the error in a body, if there is one. */
export function complaint(
  fields: Readonly<Record<string, string>>,
  sent: Record<string, unknown>,
  isNew: boolean,
): string | undefined {
  for (const name of Object.keys(sent))
    if (!Object.hasOwn(fields, name) && !COMMON.includes(name)) return `${name} is unknown`;
  for (const [name, kind] of Object.entries(fields)) {
    const value = sent[name];
    const isRequired = kind.endsWith('!');
    if (value === undefined && (!isNew || !isRequired)) continue;
    if (value === undefined || value === null) {
      if (isRequired) return `${name} is required`;
      continue;
    }
    if (!isOf(kind.replace('!', ''), value)) return `${name} is no ${kind}`;
  }
  return undefined;
}

function isOf(kind: string, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value);
    default:
      return typeof value === 'number' && kind.split('|').includes(String(value));
  }
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
