/** The roles of users and of API keys. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;
export type RoleName = (typeof ROLES)[number];

const ADMIN: readonly RoleName[] = ['admin'];
/** Those who answer for money. */
const FINANCE: readonly RoleName[] = ['admin', 'finance'];
/** Those who build an integration. */
const DEVELOPERS: readonly RoleName[] = ['admin', 'developer'];
const WRITERS: readonly RoleName[] = ['admin', 'finance', 'developer'];
const READERS: readonly RoleName[] = ['admin', 'finance', 'developer', 'viewer'];
/** Those who may see who did what, and the books. */
const ALL_BUT_VIEWERS: readonly RoleName[] = ['admin', 'finance', 'developer'];
/** Those who may send usage. */
const SENDERS: readonly RoleName[] = ['admin', 'developer', 'ingest'];

/** Who may call some endpoints. */
export type Access =
  /** Everybody, also without a credential. The token of a link in the path or in the body may be one. */
  | { readonly who: 'anyone' }
  /** Customers, with a portal token. */
  | { readonly who: 'customers' }
  /** Every signed-in user. */
  | { readonly who: 'users' }
  /** Users and API keys of these roles. An API key that is restricted needs the right. */
  | {
      readonly right: string;
      readonly roles: readonly RoleName[];
      /** API keys may not. */
      readonly usersOnly?: true;
      /** API keys that are restricted may not, even with the right. */
      readonly wholeKeysOnly?: true;
    };

/**
 * Who may call each endpoint. The table repeats what docs/access.md promises, in the words of the tests. It takes nothing from the code that
 * it tests. An endpoint that is not here fails the test.
 */
const ACCESS: readonly (Access & { readonly endpoints: readonly string[] })[] = [
  {
    who: 'anyone',
    endpoints: [
      'GET /',
      'GET /docs',
      'GET /docs/start.js',
      'GET /docs/scalar.js',
      'GET /docs/openapi.json',
      'GET /v1/openapi.json',
      'POST /v1/auth/register',
      'POST /v1/auth/accept-invitation',
      'POST /v1/auth/login',
      'POST /v1/auth/refresh',
      'POST /v1/auth/logout',
      'POST /v1/auth/magic-link',
      'POST /v1/auth/magic-link/verify',
      'POST /v1/auth/forgot-password',
      'POST /v1/auth/reset-password',
      'GET /v1/health',
      'GET /v1/health/ready',
      'GET /i/{token}',
      'GET /i/{token}/pdf',
      'GET /i/{token}/receipt',
      'GET /i/{token}/credit-notes/{creditNoteId}/pdf',
      'POST /i/{token}/pay',
      'POST /i/{token}/confirm',
      'GET /i/{token}/confirmed',
      'POST /v1/gateways/stripe/events',
      'GET /v1/gateways/stripe/card-setups/{setupId}',
      'POST /v1/auth/sso/start',
      'POST /v1/auth/sso/exchange',
      'GET /auth/invitation/{token}',
      'POST /auth/invitation/{token}',
      'GET /auth/magic-link/{token}',
      'POST /auth/magic-link/{token}',
      'GET /auth/reset-password/{token}',
      'POST /auth/reset-password/{token}',
    ],
  },
  {
    who: 'customers',
    endpoints: [
      'GET /v1/portal/me',
      'PATCH /v1/portal/me',
      'GET /v1/portal/config',
      'GET /v1/portal/subscriptions',
      'GET /v1/portal/payment-methods',
      'POST /v1/portal/payment-methods',
      'POST /v1/portal/payment-methods/{methodId}/default',
      'DELETE /v1/portal/payment-methods/{methodId}',
      'GET /v1/portal/plans',
      'GET /v1/portal/plan-change/preview',
      'POST /v1/portal/plan-change',
      'GET /v1/portal/usage',
      'GET /v1/portal/entitlements',
      'GET /v1/portal/wallets',
      'GET /v1/portal/credits',
      'POST /v1/portal/wallets/{type}/purchase',
      'GET /v1/portal/invoices',
      'GET /v1/portal/upcoming',
    ],
  },
  {
    right: 'api_keys:read',
    roles: ALL_BUT_VIEWERS,
    endpoints: ['GET /v1/api-keys'],
  },
  {
    right: 'api_keys:write',
    roles: ADMIN,
    endpoints: ['POST /v1/api-keys', 'POST /v1/api-keys/{id}/rotate', 'DELETE /v1/api-keys/{id}'],
  },
  {
    right: 'approval_policies:read',
    roles: READERS,
    endpoints: ['GET /v1/approvals/policies'],
  },
  {
    right: 'approval_policies:write',
    roles: ADMIN,
    endpoints: ['PUT /v1/approvals/policies/{action}'],
  },
  {
    right: 'approvals:read',
    roles: READERS,
    endpoints: ['GET /v1/approvals', 'GET /v1/approvals/{id}'],
  },
  {
    right: 'approvals:write',
    roles: FINANCE,
    endpoints: ['POST /v1/approvals/{id}/approve', 'POST /v1/approvals/{id}/reject'],
  },
  {
    right: 'audit:read',
    roles: ALL_BUT_VIEWERS,
    usersOnly: true,
    endpoints: ['GET /v1/audit'],
  },
  {
    right: 'billing:read',
    roles: READERS,
    endpoints: [
      'GET /v1/billing/schedule',
      'GET /v1/billing/history',
      'GET /v1/billing-settings',
      'GET /v1/payment-retry/settings',
      'GET /v1/payment-retry/summary',
      'GET /v1/coupons',
      'GET /v1/coupons/{id}',
      'GET /v1/tax-rates',
      'GET /v1/tax-rates/{id}',
    ],
  },
  {
    right: 'billing:write',
    roles: FINANCE,
    endpoints: [
      'POST /v1/billing/run',
      'PUT /v1/billing-settings',
      'PUT /v1/payment-retry/settings',
      'POST /v1/coupons',
      'POST /v1/coupons/{id}/deactivate',
      'POST /v1/tax-rates',
      'POST /v1/tax-rates/{id}/archive',
    ],
  },
  {
    right: 'catalog:read',
    roles: READERS,
    endpoints: [
      'GET /v1/credit-types',
      'GET /v1/credit-types/{type}',
      'GET /v1/credit-types/{type}/rates',
      'GET /v1/credit-types/{type}/allowances',
      'GET /v1/metrics',
      'POST /v1/metrics/evaluate',
      'GET /v1/metrics/{id}',
      'GET /v1/plans',
      'GET /v1/plans/{id}',
      'GET /v1/plans/{id}/versions',
      'GET /v1/prices',
      'POST /v1/prices/evaluate',
      'GET /v1/prices/{id}',
    ],
  },
  {
    right: 'catalog:write',
    roles: DEVELOPERS,
    endpoints: [
      'POST /v1/credit-types',
      'PATCH /v1/credit-types/{type}',
      'POST /v1/credit-types/{type}/rates',
      'DELETE /v1/credit-types/{type}/rates/{rateId}',
      'POST /v1/credit-types/{type}/allowances',
      'DELETE /v1/credit-types/{type}/allowances/{allowanceId}',
      'POST /v1/metrics',
      'PATCH /v1/metrics/{id}',
      'DELETE /v1/metrics/{id}',
      'POST /v1/plans',
      'PATCH /v1/plans/{id}',
      'DELETE /v1/plans/{id}',
      'POST /v1/plans/{id}/publish',
      'POST /v1/plans/{id}/versions/{version}/restore',
      'POST /v1/prices',
      'PATCH /v1/prices/{id}',
      'DELETE /v1/prices/{id}',
    ],
  },
  {
    right: 'credits:read',
    roles: READERS,
    endpoints: [
      'GET /v1/customers/{id}/wallets',
      'GET /v1/customers/{id}/wallets/{type}',
      'GET /v1/customers/{id}/wallets/{type}/auto-top-up',
      'GET /v1/customers/{id}/wallets/{type}/ledger',
      'GET /v1/wallets/check',
    ],
  },
  {
    right: 'credits:write',
    roles: FINANCE,
    endpoints: [
      'POST /v1/customers/{id}/wallets/{type}/grants',
      'POST /v1/customers/{id}/wallets/{type}/purchases',
      'PUT /v1/customers/{id}/wallets/{type}/auto-top-up',
      'DELETE /v1/customers/{id}/wallets/{type}/auto-top-up',
      'POST /v1/customers/{id}/wallets/{type}/blocks/{blockId}/void',
      'POST /v1/customers/{id}/wallets/{type}/void',
    ],
  },
  {
    right: 'customers:read',
    roles: READERS,
    endpoints: [
      'GET /v1/customers/{id}/balances',
      'GET /v1/customers/{id}/balance-transactions',
      'GET /v1/customers/{id}/coupons',
      'GET /v1/customers',
      'GET /v1/customers/{id}',
      'GET /v1/customers/{id}/payment-methods',
    ],
  },
  {
    right: 'customers:write',
    roles: WRITERS,
    endpoints: [
      'POST /v1/customers/{id}/coupons',
      'DELETE /v1/customers/{id}/coupons/{redemptionId}',
      'POST /v1/customers',
      'PATCH /v1/customers/{id}',
      'DELETE /v1/customers/{id}',
      'POST /v1/customers/{id}/payment-methods',
      'POST /v1/customers/{id}/payment-methods/{methodId}/default',
      'DELETE /v1/customers/{id}/payment-methods/{methodId}',
    ],
  },
  {
    right: 'entitlements:read',
    roles: READERS,
    endpoints: [
      'GET /v1/customers/{id}/entitlements',
      'GET /v1/customers/{id}/entitlements/{featureName}',
      'GET /v1/customers/{id}/entitlement-grants',
    ],
  },
  {
    right: 'entitlements:write',
    roles: WRITERS,
    endpoints: ['POST /v1/customers/{id}/entitlement-grants', 'DELETE /v1/entitlement-grants/{grantId}'],
  },
  {
    right: 'invoices:read',
    roles: READERS,
    endpoints: [
      'GET /v1/invoices',
      'GET /v1/invoices/{id}',
      'GET /v1/invoices/{id}/payment-attempts',
      'GET /v1/invoices/{id}/payments',
      'GET /v1/invoices/{id}/emails',
      'GET /v1/invoices/{id}/link',
      'GET /v1/invoices/{id}/pdf',
      'GET /v1/invoices/{id}/receipt',
      'GET /v1/invoices/{id}/xml',
      'GET /v1/invoices/{id}/credit-notes',
      'GET /v1/invoices/{id}/credit-notes/{creditNoteId}',
      'GET /v1/invoices/{id}/credit-notes/{creditNoteId}/pdf',
      'GET /v1/invoices/{id}/credit-notes/{creditNoteId}/xml',
    ],
  },
  {
    right: 'invoices:write',
    roles: FINANCE,
    endpoints: [
      'POST /v1/invoices',
      'POST /v1/invoices/{id}/approve',
      'POST /v1/invoices/{id}/pay',
      'POST /v1/invoices/{id}/payments',
      'DELETE /v1/invoices/{id}/payments/{paymentId}',
      'POST /v1/customers/{id}/balance',
      'POST /v1/invoices/{id}/void',
      'POST /v1/invoices/{id}/mark-uncollectible',
      'POST /v1/invoices/{id}/credit-note',
      'POST /v1/invoices/{id}/credit-notes/{creditNoteId}/void',
      'POST /v1/subscriptions/{id}/invoices',
    ],
  },
  {
    right: 'ledger:read',
    roles: ALL_BUT_VIEWERS,
    endpoints: ['GET /v1/ledger/trial-balance', 'GET /v1/ledger/entries'],
  },
  {
    right: 'revenue:read',
    roles: ALL_BUT_VIEWERS,
    endpoints: [
      ...['GET /v1/revenue/summary', 'GET /v1/revenue/waterfall', 'GET /v1/revenue/contracts'],
      ...['GET /v1/analytics/mrr', 'GET /v1/analytics/receivables', 'GET /v1/analytics/forecast'],
    ],
  },
  { right: 'revenue:write', roles: FINANCE, endpoints: ['POST /v1/revenue/generate'] },
  {
    right: 'licenses:read',
    roles: READERS,
    endpoints: ['GET /v1/licenses', 'GET /v1/licenses/{id}'],
  },
  {
    right: 'licenses:write',
    roles: WRITERS,
    endpoints: ['POST /v1/licenses', 'POST /v1/licenses/{id}/deactivate'],
  },
  {
    right: 'portal_sessions:read',
    roles: READERS,
    endpoints: ['GET /v1/portal/sessions'],
  },
  {
    right: 'portal_sessions:write',
    roles: WRITERS,
    endpoints: ['POST /v1/portal/sessions', 'DELETE /v1/portal/sessions/{id}'],
  },
  {
    right: 'privacy:read',
    roles: ADMIN,
    endpoints: ['GET /v1/customers/{id}/data-export'],
  },
  {
    right: 'privacy:write',
    roles: ADMIN,
    endpoints: ['POST /v1/customers/{id}/erase'],
  },
  {
    right: 'dunning:read',
    roles: READERS,
    endpoints: ['GET /v1/dunning/policies', 'GET /v1/dunning/processes'],
  },
  {
    right: 'dunning:write',
    roles: FINANCE,
    endpoints: ['PUT /v1/dunning/policies/{policyId}'],
  },
  {
    right: 'sandbox:read',
    roles: READERS,
    endpoints: ['GET /v1/sandbox/clock', 'GET /v1/sandbox/emails'],
  },
  {
    right: 'sandbox:write',
    roles: DEVELOPERS,
    endpoints: ['PUT /v1/sandbox/clock', 'POST /v1/sandbox/clock/advance'],
  },
  {
    right: 'payment_gateway:read',
    roles: READERS,
    endpoints: ['GET /v1/payment-gateway'],
  },
  {
    right: 'payment_gateway:write',
    roles: ADMIN,
    endpoints: ['PUT /v1/payment-gateway', 'DELETE /v1/payment-gateway'],
  },
  {
    right: 'workspace:write',
    roles: ADMIN,
    wholeKeysOnly: true,
    endpoints: ['POST /v1/workspace/go-live'],
  },
  {
    right: 'sso_connections:read',
    roles: ADMIN,
    endpoints: ['GET /v1/sso-connections', 'GET /v1/sso-connections/{id}'],
  },
  {
    right: 'sso_connections:write',
    roles: ADMIN,
    wholeKeysOnly: true,
    endpoints: ['POST /v1/sso-connections', 'PATCH /v1/sso-connections/{id}'],
  },
  {
    right: 'sso_connections:write',
    roles: ADMIN,
    endpoints: ['DELETE /v1/sso-connections/{id}', 'POST /v1/sso-connections/{id}/domains/{domain}/verify'],
  },
  {
    right: 'subscriptions:read',
    roles: READERS,
    endpoints: [
      'GET /v1/subscriptions/{id}/coupons',
      'POST /v1/price-migrations/preview',
      'GET /v1/price-migrations',
      'GET /v1/price-migrations/{id}',
      'GET /v1/price-migrations/{id}/customers',
      'GET /v1/subscriptions',
      'GET /v1/subscriptions/{id}',
      'POST /v1/subscriptions/{id}/invoices/compute',
      'GET /v1/subscriptions/{id}/amendments',
    ],
  },
  {
    right: 'subscriptions:write',
    roles: WRITERS,
    endpoints: [
      'POST /v1/subscriptions/{id}/coupons',
      'DELETE /v1/subscriptions/{id}/coupons/{redemptionId}',
      'POST /v1/price-migrations',
      'POST /v1/price-migrations/{id}/cancel',
      'POST /v1/subscriptions',
      'POST /v1/subscriptions/{id}/cancel',
      'POST /v1/subscriptions/{id}/uncancel',
      'POST /v1/subscriptions/{id}/pause',
      'POST /v1/subscriptions/{id}/resume',
      'POST /v1/subscriptions/{id}/amend',
      'POST /v1/subscriptions/{id}/schedule-amendment',
      'POST /v1/subscriptions/{id}/migrate',
      'POST /v1/subscriptions/{id}/amendments/{amendmentId}/cancel',
    ],
  },
  {
    right: 'usage:read',
    roles: READERS,
    endpoints: ['GET /v1/analytics/usage', 'GET /v1/events', 'POST /v1/events/query'],
  },
  {
    right: 'usage:write',
    roles: SENDERS,
    endpoints: ['POST /v1/events', 'POST /v1/events/backfill'],
  },
  {
    right: 'usage_limits:read',
    roles: READERS,
    endpoints: [
      'GET /v1/customers/{id}/usage-limits',
      'POST /v1/usage-limits/check',
      'GET /v1/usage-limits',
      'GET /v1/usage-limits/{id}',
    ],
  },
  {
    right: 'usage_limits:write',
    roles: WRITERS,
    endpoints: ['POST /v1/usage-limits', 'PATCH /v1/usage-limits/{id}', 'DELETE /v1/usage-limits/{id}'],
  },
  {
    right: 'users:read',
    roles: READERS,
    endpoints: ['GET /v1/users/invitations', 'GET /v1/users'],
  },
  {
    right: 'users:write',
    roles: ADMIN,
    usersOnly: true,
    endpoints: [
      'POST /v1/users/invitations',
      'POST /v1/users/invitations/{id}/resend',
      'DELETE /v1/users/invitations/{id}',
      'PATCH /v1/users/{id}',
    ],
  },
  {
    right: 'webhooks:read',
    roles: READERS,
    usersOnly: true,
    endpoints: [
      'GET /v1/webhooks',
      'GET /v1/webhooks/{id}',
      'GET /v1/webhooks/{id}/deliveries',
      'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
    ],
  },
  {
    right: 'webhooks:write',
    roles: DEVELOPERS,
    usersOnly: true,
    endpoints: [
      'POST /v1/webhooks',
      'PATCH /v1/webhooks/{id}',
      'DELETE /v1/webhooks/{id}',
      'POST /v1/webhooks/{id}/secret/rotate',
      'DELETE /v1/webhooks/{id}/secret/previous',
      'POST /v1/webhooks/{id}/test',
      'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry',
      'POST /v1/webhooks/{id}/replay',
    ],
  },
  {
    who: 'users',
    endpoints: [
      'GET /v1/users/me/sessions',
      'DELETE /v1/users/me/sessions/{id}',
      'GET /v1/users/me',
      'DELETE /v1/users/me/sessions',
    ],
  },
];

/** Who may call each endpoint, by its method and path. */
export const ENDPOINTS: ReadonlyMap<string, Access> = new Map(
  ACCESS.flatMap(({ endpoints, ...access }) => endpoints.map((endpoint) => [endpoint, access] as const)),
);

/**
 * Path parameters whose values each workspace chooses by itself, or that every workspace has. The same value means something else in another
 * workspace. A token is a credential, and not an id.
 */
export const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['type', 'featureName', 'version', 'action', 'domain', 'token', 'policyId'],
]);
