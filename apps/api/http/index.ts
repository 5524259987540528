export { PostalAddressBody, PostalAddressView, readAddress } from './address.dto.js';
export { Context, WithoutCommand } from './command-context.js';
export { BodyExample } from './body-example.js';
export * from './fields/index.js';
export { NoFields } from './no-fields.js';
export { listOf, PageQuery } from './page.js';
export { TakesLong } from './time-limit.js';
export { SETTINGS } from './settings.token.js';
export type { ErrorBody } from './error.filter.js';
