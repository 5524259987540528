import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { PriceConfigReader } from './price-config-reader.js';
import type { BaseConfig, PricingModel } from './model.js';

/** A price per unit that depends on the values of one or two properties. The metric of a matrix price must group by these properties. */
export interface MatrixConfig extends BaseConfig<'matrix'> {
  /** The names of the one or two properties. */
  readonly dimensions: readonly string[];
  readonly cells: readonly MatrixCell[];
  /** The unit price of all combinations without a cell, and of events that lack a property. */
  readonly defaultUnitPrice: DecimalString;
}

/** The unit price for one combination of values. */
export interface MatrixCell {
  /** The values of the properties in `dimensions`, in the same order as these properties. */
  readonly values: readonly string[];
  readonly unitPrice: DecimalString;
}

export const MAX_DIMENSIONS = 2;
export const MAX_CELLS = 200;

export const matrixModel: PricingModel<'matrix', MatrixConfig> = {
  name: 'matrix',
  chargeKind: 'metric',
  read(fields) {
    const dimensions = fields.texts('dimensions', 1, MAX_DIMENSIONS);
    if (new Set(dimensions).size < dimensions.length)
      fields.addError('dimensions', 'must not repeat a property');
    return {
      dimensions,
      cells: readCells(fields, dimensions.length),
      defaultUnitPrice: fields.amount('defaultUnitPrice'),
    };
  },
  write: ({ dimensions, cells, defaultUnitPrice }) => ({
    dimensions,
    cells: cells.map(({ values, unitPrice }) => ({ values, unitPrice: jsonNumber(unitPrice) })),
    defaultUnitPrice: jsonNumber(defaultUnitPrice),
  }),
  isAdditive: () => true,
  rate(config, { quantity, group = {} }) {
    const unitPrice = unitPriceOf(config, group);
    return { amount: quantity.times(unitPrice), unitPrice };
  },
};

function readCells(fields: PriceConfigReader, dimensions: number): MatrixCell[] {
  const seen = new Set<string>();
  return fields.list('cells', 1, MAX_CELLS).map((cell) => {
    // If the dimensions are wrong, their number is not known.
    const values = cell.texts('values', dimensions || 1, dimensions || MAX_DIMENSIONS);
    const key = JSON.stringify(values);
    if (values.length > 0 && seen.has(key)) cell.addError('values', 'must not repeat those of another cell');
    seen.add(key);
    return { values, unitPrice: cell.amount('unitPrice') };
  });
}

function unitPriceOf(
  { dimensions, cells, defaultUnitPrice }: MatrixConfig,
  group: Readonly<Record<string, string>>,
): DecimalString {
  const found = cells.find(({ values }) => dimensions.every((property, i) => group[property] === values[i]));
  return found?.unitPrice ?? defaultUnitPrice;
}
