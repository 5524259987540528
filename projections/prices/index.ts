export { PriceQueries } from './price-queries.js';
export { PricesReadModule } from './prices-read.module.js';
