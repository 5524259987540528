/**
 * The endpoints that Countinghouse promises to its clients, by resource. The OpenAPI document may have more. A path parameter may have
 * another name there.
 */
export const CONTRACT_ENDPOINTS: readonly string[] = [
  ...['GET /v1/health', 'GET /v1/health/ready'],

  // Customers
  ...['POST /v1/customers', 'GET /v1/customers'],
  ...['GET /v1/customers/{id}', 'PATCH /v1/customers/{id}', 'DELETE /v1/customers/{id}'],
  ...['GET /v1/customers/{id}/entitlements', 'GET /v1/customers/{id}/entitlements/{featureName}'],
  ...['GET /v1/customers/{id}/entitlement-grants', 'POST /v1/customers/{id}/entitlement-grants'],
  'DELETE /v1/entitlement-grants/{grantId}',
  ...['GET /v1/customers/{id}/data-export', 'POST /v1/customers/{id}/erase'],
  ...['GET /v1/customers/{id}/usage-limits', 'GET /v1/usage-limits', 'POST /v1/usage-limits'],
  'POST /v1/usage-limits/check',

  // Usage
  ...['POST /v1/events', 'GET /v1/events', 'POST /v1/events/backfill', 'POST /v1/events/query'],

  // Catalog
  ...['POST /v1/metrics', 'GET /v1/metrics', 'PATCH /v1/metrics/{id}', 'DELETE /v1/metrics/{id}'],
  ...['POST /v1/prices', 'GET /v1/prices', 'PATCH /v1/prices/{id}', 'DELETE /v1/prices/{id}'],
  ...['POST /v1/plans', 'GET /v1/plans', 'PATCH /v1/plans/{id}', 'DELETE /v1/plans/{id}'],
  ...['GET /v1/plans/{id}/versions', 'POST /v1/plans/{id}/publish'],
  'POST /v1/plans/{id}/versions/{version}/restore',

  // Subscriptions
  ...['POST /v1/subscriptions', 'GET /v1/subscriptions', 'GET /v1/subscriptions/{id}'],
  ...['POST /v1/subscriptions/{id}/cancel', 'POST /v1/subscriptions/{id}/amend'],
  ...['POST /v1/subscriptions/{id}/schedule-amendment', 'GET /v1/subscriptions/{id}/amendments'],
  'POST /v1/subscriptions/{id}/migrate',
  ...['POST /v1/subscriptions/{id}/invoices/compute', 'POST /v1/subscriptions/{id}/invoices'],
  ...['POST /v1/subscriptions/{id}/coupons', 'DELETE /v1/subscriptions/{id}/coupons/{redemptionId}'],
  ...['POST /v1/coupons', 'POST /v1/coupons/{id}/deactivate'],
  ...['POST /v1/billing/run', 'GET /v1/billing/schedule', 'GET /v1/billing/history'],

  // Price migrations
  ...['POST /v1/price-migrations/preview', 'POST /v1/price-migrations', 'GET /v1/price-migrations'],
  ...['GET /v1/price-migrations/{id}', 'POST /v1/price-migrations/{id}/cancel'],

  // Invoices
  ...['GET /v1/invoices', 'GET /v1/invoices/{id}', 'POST /v1/invoices/{id}/approve'],
  ...['POST /v1/invoices/{id}/pay', 'POST /v1/invoices/{id}/void', 'POST /v1/invoices/{id}/credit-note'],
  ...['GET /v1/invoices/{id}/pdf', 'GET /v1/invoices/{id}/link', 'GET /i/{token}'],
  'GET /v1/invoices/{id}/payment-attempts',
  ...['GET /v1/payment-retry/settings', 'PUT /v1/payment-retry/settings', 'GET /v1/payment-retry/summary'],
  ...['GET /v1/dunning/processes', 'GET /v1/dunning/policies'],
  ...['GET /v1/billing-settings', 'PUT /v1/billing-settings'],
  ...['POST /v1/revenue/generate', 'GET /v1/revenue/summary', 'GET /v1/revenue/waterfall'],
  'GET /v1/revenue/contracts',

  // Credits
  ...['GET /v1/credit-types', 'POST /v1/credit-types'],
  ...['GET /v1/credit-types/{type}', 'PATCH /v1/credit-types/{type}'],
  ...['GET /v1/credit-types/{type}/rates', 'POST /v1/credit-types/{type}/rates'],
  'DELETE /v1/credit-types/{type}/rates/{rateId}',
  ...['GET /v1/credit-types/{type}/allowances', 'POST /v1/credit-types/{type}/allowances'],
  'DELETE /v1/credit-types/{type}/allowances/{allowanceId}',
  ...['GET /v1/customers/{id}/wallets', 'GET /v1/customers/{id}/wallets/{type}'],
  ...['POST /v1/customers/{id}/wallets/{type}/grants', 'POST /v1/customers/{id}/wallets/{type}/purchases'],
  'POST /v1/customers/{id}/wallets/{type}/blocks/{blockId}/void',
  'GET /v1/customers/{id}/wallets/{type}/ledger',
  'GET /v1/customers/{id}/wallets/{type}/auto-top-up',
  'PUT /v1/customers/{id}/wallets/{type}/auto-top-up',
  'DELETE /v1/customers/{id}/wallets/{type}/auto-top-up',
  'GET /v1/wallets/check',

  // Licenses
  ...['POST /v1/licenses', 'POST /v1/licenses/{id}/deactivate'],

  // Approvals and the audit trail
  ...['GET /v1/approvals/policies', 'PUT /v1/approvals/policies/{action}'],
  ...['GET /v1/approvals', 'GET /v1/approvals/{id}'],
  ...['POST /v1/approvals/{id}/approve', 'POST /v1/approvals/{id}/reject'],
  'GET /v1/audit',

  // Webhooks
  ...['POST /v1/webhooks', 'GET /v1/webhooks', 'PATCH /v1/webhooks/{id}', 'DELETE /v1/webhooks/{id}'],
  ...['POST /v1/webhooks/{id}/test', 'GET /v1/webhooks/{id}/deliveries'],

  // Users
  ...['POST /v1/auth/register', 'POST /v1/auth/login', 'POST /v1/auth/refresh', 'POST /v1/auth/logout'],
  'GET /v1/users/me',
  ...['POST /v1/auth/magic-link', 'POST /v1/auth/magic-link/verify'],
  ...['POST /v1/auth/forgot-password', 'POST /v1/auth/reset-password'],
  ...['POST /v1/auth/sso/start', 'POST /v1/auth/sso/exchange'],

  // Customer portal
  ...['POST /v1/portal/sessions', 'GET /v1/portal/me', 'GET /v1/portal/config'],
  ...['GET /v1/portal/plans', 'GET /v1/portal/plan-change/preview', 'POST /v1/portal/plan-change'],
  ...['GET /v1/portal/usage', 'GET /v1/portal/entitlements', 'GET /v1/portal/wallets'],
  ...['GET /v1/portal/credits', 'POST /v1/portal/wallets/{type}/purchase'],
  ...['GET /v1/portal/invoices', 'GET /v1/portal/upcoming'],
];
