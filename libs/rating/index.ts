export * from './cadence.js';
export * from './charges.js';
export * from './invoice.js';
export * from './periods.js';
export * from './pricing/index.js';
export * from './proration.js';
