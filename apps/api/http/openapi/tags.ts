/** What the operations are about, in the order in which the reference shows them. */
export const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Users, their sessions and tokens. Servers use API keys instead.',
  'API keys': 'Credentials of servers. The role of a key says what it may do.',
  Customers: 'Whom a workspace bills, with what is owed to them.',
  'Payment methods': 'What a customer pays with. The default one is charged for open invoices.',
  Metrics: 'How usage events become a quantity.',
  Prices: 'What a unit, a period or a seat costs. A change makes a new version.',
  Plans: 'Prices that are sold together. Subscriptions stay on the version that they started with.',
  Coupons: 'Discounts, and who has them.',
  Taxes: 'Tax rates that invoices add, or that prices contain.',
  Subscriptions: 'Customers on plans, and changes of them.',
  'Price migrations': 'Moves many subscriptions from one plan to another.',
  'Usage events': 'What customers used.',
  Billing: 'When and how invoices are made.',
  Invoices: 'What customers owe, with payments, documents and credit notes.',
  'Hosted invoice':
    'The pages where customers look at an invoice and pay it. The token in the address is the credential.',
  Ledger: 'Double-entry bookings of all that was invoiced and paid.',
  Webhooks: 'Where events are sent, and what came of each delivery.',
  Audit: 'Who did what and when.',
  Sandbox: 'The clock of a sandbox workspace. It stands still until it is moved.',
  Health: 'For load balancers and monitoring. No credential is needed.',
};
