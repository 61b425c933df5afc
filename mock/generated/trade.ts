import { count, type Draft, dayOf, touch } from './draft.ts';
import { nameOf } from './names.ts';
import { cents, GOODS_PER_SUPPLIER, goods, type Product, productOf, supplierOf } from './products.ts';
import { drawText } from './texts.ts';

/** The name of a supplier: that of its record, or else one that is the same for all its products. */
function supplierName({ find }: Draft, supplier: number): string {
  return String(find('supplier', supplier).name ?? nameOf('supplier', supplier));
}

/** Draws a product of a supplier that no other record with the same key has, if possible. */
function drawProduct(draft: Draft, supplier: number, key: string): Product {
  const { faker, once } = draft;
  const from = faker.number.int({ max: GOODS_PER_SUPPLIER - 1 });
  for (let place = from; place < from + GOODS_PER_SUPPLIER; place++) {
    const product = productOf(supplier, place);
    if (once(`${key} ${product}`)) return goods(product);
  }
  return goods(productOf(supplier, from));
}

/** Draws a supplier, or the number of one where there are none. */
function drawSupplier({ draw, faker }: Draft): number {
  return draw('supplier') ?? faker.number.int({ min: 1, max: 12 });
}

/** Returns the first of the records from a cursor on that fits, and moves the cursor behind it. */
function takeNext(
  { earlier, notes }: Draft,
  model: string,
  cursor: string,
): { record: Record<string, unknown>; take: () => void } | undefined {
  const place = notes.get(cursor) ?? 0;
  const records = earlier(model);
  if (place >= records.count) return undefined;
  return { record: records.at(place), take: () => notes.set(cursor, place + 1) };
}

/** How records of orders, deliveries, invoices, and stock agree, by model. */
export const TRADE: Readonly<Record<string, (draft: Draft) => void>> = {
  stock: (draft) => {
    const { faker, nameIn, record } = draft;
    const supplier = drawSupplier(draft);
    // Each product is in a warehouse once.
    const product = drawProduct(draft, supplier, `stock ${record.warehouse}`);
    const amount = faker.number.int({ min: 0, max: 60 });
    const alert = faker.number.int({ min: 2, max: 8 });
    Object.assign(record, {
      product: product.id,
      amount,
      averageUnitCost: product.cost,
      value: cents(amount * product.cost),
      price: product.price,
      subfamily: product.subfamily,
      subfamilyName: product.subfamilyName,
      familyName: product.family,
      supplierName: supplierName(draft, supplier),
      brandName: nameIn('brand', product.id) ?? nameOf('brand', product.id % 40),
      sku: product.sku,
    });
    if (record.alert !== undefined) record.alert = alert;
    if (record.desired !== undefined) record.desired = alert * faker.number.int({ min: 3, max: 5 });
  },
  stockTransaction: (draft) => {
    const { earlier, faker, notes, record } = draft;
    const stocks = earlier('stock');
    const held = stocks.count > 0 ? stocks.at(faker.number.int({ max: stocks.count - 1 })) : undefined;
    if (held) Object.assign(record, { warehouse: held.warehouse, product: held.product });
    else
      record.product = goods(
        productOf(drawSupplier(draft), faker.number.int({ max: GOODS_PER_SUPPLIER })),
      ).id;
    const product = goods(Number(record.product));
    const key = `stock of ${product.id} in ${record.warehouse}`;
    const before = Number(held?.amount ?? notes.get(key) ?? 0);
    const wanted = faker.helpers.arrayElement([0, 0, 1, 2, 3, 3, 3, 4]);
    // Only a delivery can come to an empty place.
    const type = before < 4 ? 0 : wanted;
    const some = faker.number.int({ min: 1, max: Math.min(6, Math.max(1, before)) });
    const amount =
      type === 0
        ? faker.number.int({ min: 6, max: 48 })
        : type === 1 || type === 4
          ? some > 3
            ? -1
            : 1
          : -some;
    const stock = before + amount;
    notes.set(key, stock);
    Object.assign(record, {
      amount,
      type,
      stock,
      grossUnitCost: product.cost,
      grossUnitPrice: product.price,
      averageUnitCost: product.cost,
      sku: product.sku,
      supplierName: supplierName(draft, supplierOf(product.id)),
    });
    if (record.comments !== undefined || faker.number.float() < 0.5)
      record.comments = drawText(`stockTransaction.comments.${type}`, faker);
    if (!held) return;
    Object.assign(held, { amount: stock, value: cents(stock * product.cost) });
    touch(held, draft);
  },
  stockOrder: (draft) => {
    const { record } = draft;
    record.date = dayOf(draft.created);
    // Its deliveries say how far it is, where there are any.
    if (draft.isMade('stockDeliveryLine')) record.status = draft.faker.number.int({ max: 1 });
    if (record.status !== 3) record.deliveryDate = undefined;
  },
  stockOrderLine: (draft) => {
    const { faker, find, isMade, notes, record } = draft;
    const { status, supplier = 1 + (Number(record.stockOrder) % 12) } = find('stockOrder', record.stockOrder);
    const product = drawProduct(draft, Number(supplier), `order ${record.stockOrder}`);
    const amount = faker.number.int({ min: 1, max: 10 }) * (product.cost < 5 ? 12 : 2);
    const part = { 2: 0.5, 3: 1 }[Number(status)] ?? 0;
    Object.assign(record, {
      product: product.id,
      amount,
      grossUnitCost: product.cost,
      received: isMade('stockDeliveryLine') ? 0 : Math.floor(amount * part),
    });
    notes.set(`ordered ${record.stockOrder}`, (notes.get(`ordered ${record.stockOrder}`) ?? 0) + amount);
  },
  stockDeliveryLine: (draft) => {
    const { created, faker, find, notes, once, record } = draft;
    const next = takeNext(draft, 'stockOrderLine', 'delivered');
    next?.take();
    if (next) record.orderLine = next.record.id;
    const line = find('stockOrderLine', record.orderLine);
    const order = find('stockOrder', line.stockOrder);
    const isWhole = faker.number.float() < 0.85;
    const received = isWhole ? Number(line.amount) : Math.ceil(Number(line.amount) / 2);
    // A delivery after the last ordered unit means that the order was extended.
    if (!next) line.amount = Number(line.amount) + received;
    line.received = Number(line.received) + received;
    touch(line, draft);
    const ordered = `ordered ${line.stockOrder}`;
    if (!next) notes.set(ordered, (notes.get(ordered) ?? 0) + received);
    const arrived = (notes.get(`arrived ${line.stockOrder}`) ?? 0) + received;
    notes.set(`arrived ${line.stockOrder}`, arrived);
    order.status = arrived < (notes.get(ordered) ?? 0) ? 2 : 3;
    if (order.status === 3) order.deliveryDate = dayOf(created);
    touch(order, draft);
    // A delivery brings the lines of one order.
    const delivery = notes.get(`delivery of ${line.stockOrder}`);
    if (delivery !== undefined) record.delivery = delivery;
    else
      for (let tries = 0; tries < 8 && !once(`delivery ${record.delivery}`); tries++)
        record.delivery = draft.draw('stockDelivery') ?? record.delivery;
    notes.set(`delivery of ${line.stockOrder}`, Number(record.delivery));
    const product = goods(Number(line.product));
    record.stockInvoice = undefined;
    Object.assign(record, {
      deliveryNumber: `ALB-2025-${String(record.delivery).padStart(4, '0')}`,
      orderNumber: `PED-2025-${String(line.stockOrder).padStart(4, '0')}`,
      stockInvoiceNumber: '',
      product: product.id,
      received,
      pending: Number(line.amount) - Number(line.received),
      sku: product.sku,
      supplierName: supplierName(draft, supplierOf(product.id)),
    });
  },
  stockInvoice: (draft) => {
    const { find, notes, record } = draft;
    const line = takeNext(draft, 'stockDeliveryLine', 'invoiced')?.record;
    const supplier = line ? supplierOf(Number(line.product)) : drawSupplier(draft);
    notes.set(`seller of ${record.id}`, supplier);
    const { id, taxNumber } = find('supplier', supplier);
    if (id === undefined) record.supplier = undefined;
    else record.supplier = id;
    if (taxNumber === undefined) record.taxNumber = undefined;
    else record.taxNumber = taxNumber;
    record.date = dayOf(draft.created);
    Object.assign(record, { discountTotal: 0, taxTotal: 0 });
  },
  stockInvoiceLine: (draft) => {
    const { faker, find, notes, record } = draft;
    const invoice = find('stockInvoice', record.stockInvoice);
    const next = takeNext(draft, 'stockDeliveryLine', 'invoiced');
    const supplier = notes.get(`seller of ${record.stockInvoice}`) ?? 1;
    const isOwn = next && supplierOf(Number(next.record.product)) === supplier;
    record.deliveryLine = undefined;
    record.orderLine = undefined;
    record.product = undefined;
    let [units, net, tax] = [1, 9, 21];
    let description = 'Portes';
    if (isOwn) {
      next.take();
      const line = next.record;
      const product = goods(Number(line.product));
      Object.assign(record, { deliveryLine: line.id, orderLine: line.orderLine, product: product.id });
      [units, net, tax, description] = [Number(line.received), product.cost, product.tax, product.name];
      Object.assign(line, {
        stockInvoice: invoice.id,
        stockInvoiceNumber: `F-${String(invoice.id).padStart(6, '0')}`,
      });
      touch(line, draft);
    } else if (
      count(notes, `lines of ${record.stockInvoice}`) !== 2 ||
      notes.has(`carriage ${record.stockInvoice}`)
    ) {
      const product = drawProduct(draft, supplier, `invoice ${record.stockInvoice}`);
      record.product = product.id;
      [units, net, tax, description] = [
        faker.number.int({ min: 1, max: 12 }) * 2,
        product.cost,
        product.tax,
        product.name,
      ];
    } else notes.set(`carriage ${record.stockInvoice}`, 1);
    const totalBeforeTaxes = cents(units * net);
    const taxes = cents((totalBeforeTaxes * tax) / 100);
    Object.assign(record, {
      description,
      units,
      priceBeforeTaxes: net,
      discountRate: 0,
      taxRate: tax,
      price: cents(net * (1 + tax / 100)),
      totalBeforeTaxes,
      total: cents(totalBeforeTaxes + taxes),
    });
    invoice.taxTotal = cents(Number(invoice.taxTotal) + taxes);
  },
};
