import { describe, expect, test } from 'vitest';
import { demo } from '../../testing/demo.ts';
import { makeRecords } from '../../testing/generated-records.ts';

describe('generated records', () => {
  const { allRecords, contract, fields, recordsOf, valuesOf } = makeRecords();

  test('dates are in order, and numbers too', () => {
    const pairs = [
      ['created', 'updated'],
      ['start', 'end'],
      ['startDate', 'endDate'],
      ['startTime', 'endTime'],
      ['minAge', 'maxAge'],
      ['date', 'estimatedDeliveryDate'],
      ['date', 'deliveryDate'],
    ] as const;
    for (const { model, record } of allRecords) {
      for (const [first, second] of pairs) {
        if (record[first] === undefined || record[second] === undefined) continue;
        const isOrdered =
          Number(record[first]) > Number(record[second]) || String(record[first]) > String(record[second]);
        expect([model.name, record, isOrdered && !(Number(record[first]) <= Number(record[second]))]).toEqual(
          [model.name, record, false],
        );
      }
      const hour = Number(String(record.created).slice(11, 13));
      expect([model.name, record.id, hour >= 7 && hour < 22]).toEqual([model.name, record.id, true]);
      if (record.birthdate === undefined) continue;
      const age = Number(String(record.created).slice(0, 4)) - Number(String(record.birthdate).slice(0, 4));
      expect([record.birthdate, age >= 18 && age <= 81]).toEqual([record.birthdate, true]);
    }
  });

  test('each record was made or changed after those that it refers to', () => {
    for (const { model, record } of allRecords)
      for (const { key, name } of model.fields) {
        const reference = contract.references.get(key);
        // An invoice comes after its deliveries, whose lines name it then.
        if (reference === undefined || 'outside' in reference || key === 'stockDeliveryLine.stockInvoice')
          continue;
        for (const id of [record[name] ?? []].flat()) {
          const target = [...recordsOf(reference.to), ...(demo.get(reference.to) ?? [])].find(
            (one) => one.id === id,
          );
          expect([key, id, record.id, String(target?.created) <= String(record.updated)]).toEqual([
            key,
            id,
            record.id,
            true,
          ]);
        }
      }
  });

  test('no text is the same everywhere, and none is a placeholder', () => {
    const texts = fields.filter(({ type }) =>
      ['string', 'text', 'markdown', 'email', 'url', 'image'].includes(type),
    );
    for (const field of texts) {
      const values = valuesOf(field).map(String);
      // The club has one currency, and two languages.
      if (values.length < 20 || /^(currency|language)$/.test(field.name)) continue;
      const most = Math.max(
        ...[...Map.groupBy(values, (value) => value).values()].map(({ length }) => length),
      );
      expect([field.key, new Set(values).size > 2, most < values.length * 0.7]).toEqual([
        field.key,
        true,
        true,
      ]);
      for (const value of values) expect(value).not.toMatch(/lorem|undefined|NaN|\{|^[A-Z0-9]{6}$/);
    }
    const sentences = fields.filter(({ type }) => type === 'text' || type === 'markdown');
    const uses = new Map<string, Set<string>>();
    for (const field of sentences)
      for (const value of valuesOf(field))
        uses.set(String(value), (uses.get(String(value)) ?? new Set()).add(field.name));
    expect([...uses].filter(([, names]) => names.size > 1)).toEqual([]);
  });

  test('every field has values, except those that the service or other records fill in', () => {
    const empty = fields.filter(
      (field) => valuesOf(field).length === 0 && !field.readonly && field.type !== 'lines',
    );
    expect(empty.map(({ key }) => key)).toEqual([]);
  });
});
