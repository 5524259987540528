import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';

/** The ids under which Stripe knows the customer. */
@Injectable()
class StripeCustomersOfExport implements CustomerDataSource {
  constructor(private readonly pool: Pool) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncIterable<object> {
    const { rows } = await this.pool.query<object>(
      `SELECT account_id AS "accountId", mode, stripe_customer_id AS "stripeCustomerId"
       FROM payments.stripe_customers WHERE workspace_id = $1 AND customer_id = $2 ORDER BY account_id, mode`,
      [workspaceId, customerId],
    );
    yield* rows;
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'stripeCustomers', source: StripeCustomersOfExport },
];
