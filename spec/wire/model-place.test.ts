import { expect, test } from 'vitest';
import { MODEL_FORMS, placesWith, pointerFor } from './model-place.ts';

test.each([
  ['/data', '/data'],
  ['/{model}', '/voucherCategory'],
  ['/_embedded/{model}List', '/_embedded/voucherCategoryList'],
  ['/{models}', '/voucherCategories'],
  ['/{model_name}', '/voucher_category'],
  ['/{model_names}', '/voucher_categories'],
  ['/{model-name}', '/voucher-category'],
  ['/{model-names}', '/voucher-categories'],
  ['/{Model}', '/VoucherCategory'],
  ['/result/{Models}', '/result/VoucherCategories'],
])('the place %s is %s for voucherCategory, and can be found from it', (place, pointer) => {
  expect(pointerFor(place, 'voucherCategory')).toBe(pointer);
  expect(placesWith(pointer, 'voucherCategory')).toContain(place);
});

test.each([
  ['brand', '/brands'],
  ['ecommerceOrder', '/ecommerceOrders'],
  ['survey', '/surveys'],
  ['box', '/boxes'],
  ['metricData', '/metricData'],
])('the plural place of %s is %s', (model, pointer) => {
  expect(pointerFor('/{models}', model)).toBe(pointer);
});

test('model names that are special in patterns or objects are used literally', () => {
  for (const model of ['$&', '__proto__', 'toString']) {
    expect(pointerFor('/{model}', model)).toBe(`/${model}`);
    for (const form of MODEL_FORMS) expect(placesWith(pointerFor(form, model), model)).toContain(form);
  }
  expect(pointerFor('/{constructor}', 'brand')).toBe('/{constructor}');
});
