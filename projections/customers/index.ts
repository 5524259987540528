export { CustomerQueries } from './customer-queries.js';
export { CustomersReadModule } from './customers-read.module.js';
