import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the connections of workspaces to Stripe, and what is known of Stripe's customers, charges, refunds, saved cards and events. */
export class Stripe1700000007600 implements MigrationInterface {
  name = 'Stripe1700000007600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payments.gateway_connections (
        workspace_id     text PRIMARY KEY,
        provider         text NOT NULL CHECK (provider = 'stripe'),
        account_id       text NOT NULL,
        mode             text NOT NULL CHECK (mode IN ('test', 'live')),
        secret_key       text NOT NULL,
        secret_key_last4 text NOT NULL,
        webhook_secret   text,
        checked_at       timestamptz NOT NULL
      );

      CREATE TABLE payments.stripe_customers (
        workspace_id       text NOT NULL,
        customer_id        text NOT NULL,
        account_id         text NOT NULL,
        mode               text NOT NULL,
        stripe_customer_id text NOT NULL,
        PRIMARY KEY (workspace_id, customer_id, account_id, mode)
      );

      CREATE TABLE payments.stripe_charges (
        key               text PRIMARY KEY,
        workspace_id      text NOT NULL,
        invoice_id        text NOT NULL,
        amount            numeric NOT NULL CHECK (amount > 0),
        currency          text NOT NULL,
        customer          text NOT NULL,
        payment_method    text NOT NULL,
        payment_intent_id text,
        -- The last known result. It is null while the result is unknown.
        status            text CHECK (status IN ('succeeded', 'failed', 'requires_action')),
        created_at        timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX stripe_charges_of_invoice ON payments.stripe_charges (workspace_id, invoice_id);
      CREATE INDEX stripe_charges_unknown ON payments.stripe_charges (workspace_id) WHERE status IS NULL;

      CREATE TABLE payments.stripe_refunds (
        key        text PRIMARY KEY,
        workspace_id text NOT NULL,
        charge_key text NOT NULL REFERENCES payments.stripe_charges,
        amount     numeric NOT NULL CHECK (amount > 0),
        -- Null while the result is unknown.
        refund_id  text,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX stripe_refunds_of_charge ON payments.stripe_refunds (charge_key);

      CREATE TABLE payments.card_setups (
        id                text PRIMARY KEY,
        workspace_id      text NOT NULL,
        customer_id       text NOT NULL,
        payment_method_id text NOT NULL,
        return_url        text NOT NULL,
        session_id        text,
        session_url       text,
        created_at        timestamptz NOT NULL
      );
      CREATE INDEX card_setups_by_age ON payments.card_setups (created_at);
      CREATE INDEX card_setups_of_customer ON payments.card_setups (workspace_id, customer_id);

      CREATE TABLE payments.stripe_events (
        workspace_id text NOT NULL,
        event_id     text NOT NULL,
        received_at  timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, event_id)
      );
      CREATE INDEX stripe_events_by_age ON payments.stripe_events (received_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE payments.stripe_events, payments.card_setups, payments.stripe_refunds, payments.stripe_charges,
        payments.stripe_customers, payments.gateway_connections
    `);
  }
}
