export { PostalAddressBody, PostalAddressView, readAddress } from './address.dto.js';
export { ElectronicAddressBody, ElectronicAddressView } from './electronic-address.dto.js';
export { textOfBody, UnsupportedMediaType } from './body-parser.js';
export {
  AnswersWithSecret,
  Context,
  RepeatableRequestId,
  WithCommand,
  WithoutCommand,
} from './command-context.js';
export {
  BodyExample,
  CUSTOMER_DATA_SCHEMA,
  decimalSchema,
  registerWebhookOperation,
  fieldSchemas,
  objectSchema,
  OneOf,
  type Operation,
  type Schema,
  type Variant,
  type WebhookSchemas,
  responseHeaderRefs,
} from './openapi/index.js';
export { apiFolders, defineApi } from './define-api.js';
export * from './fields/index.js';
export { ByteOrderMarkField, csvAnswer, CsvQuery, FormatField, jsonOrCsv } from './csv.js';
export { CsvPageQuery, listAnswer, type CsvListFile } from './csv-list.js';
export { markReplayed } from './idempotency.interceptor.js';
export { AfterField, pageInMemory, readPage, ListView, PageQuery, type PageRequest } from './page.js';
export { FormerName } from './parameter-names.js';
export { TakesLong, withTimeLimit } from './time-limit.js';
export { RETRY_AFTER_SECONDS, type ErrorBody } from './error.filter.js';
export { logPageFailure } from './log-page-failure.js';
export { toPublicError } from './public-error.js';
