export { CreditTypeQueries } from './credit-type-queries.js';
export { CreditTypesReadModule } from './credit-types-read.module.js';
