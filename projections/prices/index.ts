export { PriceQueries } from './price-queries.js';
export { PricesReadModule } from './prices-read.module.js';
export { pricesProjection } from './prices.projection.js';
