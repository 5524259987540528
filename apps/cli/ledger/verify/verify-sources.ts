import pg from 'pg';
import { AuditAnchors } from '#libs/contexts/audit';
import {
  BillingTermsFinder,
  BillMeasurer,
  BillPricer,
  DecidedBills,
  RemainingFeeFinder,
  InvoicedUsageFinder,
  IssuedInvoiceAuditor,
  LateUsageFinder,
} from '#libs/contexts/billing';
import { Coupons } from '#libs/contexts/coupons';
import { Customers } from '#libs/contexts/customers';
import {
  connectToLeader,
  AggregateStore,
  EventCodec,
  EventFeed,
  openKeyConnections,
  PastAggregateStore,
  PastStreamReader,
  PersonalDataVault,
  QuarantineReader,
  StreamReader,
  noPersonalDataKeys,
} from '#libs/kernel/event-store';
import { type Position, type RecordedEvent } from '#libs/kernel/domain';
import { CurrentBillingSettings, Invoices } from '#libs/contexts/invoicing';
import { columnTypeParsers } from '#libs/kernel/postgres';
import { TaskProgressReader } from '#libs/kernel/saga';
import { UnbilledRevenueMeter, type OpenPastSources } from '#libs/contexts/revenue';
import { Subscriptions } from '#libs/contexts/subscriptions';
import { TaxRates } from '#libs/contexts/taxes';
import { LogHead, MeterStore, PastUsageMeters, SqlMetrics, UsageMeters } from '#libs/usage';
import { vocabulary } from '#libs/manifest';
import { CliError } from '../../cli-error.js';
import type { SettingsWithServerUrls } from '../../start/running-instance.js';
import { CachedCatalog } from './cached-catalog.js';
import { readEventLog } from './read-event-log.js';

const CONNECTIONS = 8;

/** The read-only connections and readers that the verification of the ledger needs. */
export interface VerifySources {
  readonly pool: pg.Pool;
  /** Finds the position of the last event in the event log. */
  readonly feed: EventFeed;
  /** Reads the event log up to a position, in order. */
  readonly log: (head: Position) => AsyncGenerator<RecordedEvent[]>;
  readonly streams: StreamReader;
  /** Reads which events are set aside. */
  readonly quarantine: QuarantineReader;
  readonly anchors: AuditAnchors;
  readonly catalog: CachedCatalog;
  readonly issuedInvoices: IssuedInvoiceAuditor;
  readonly tasks: TaskProgressReader;
  /** Opens what a measurement of unbilled revenue could read in the past. */
  readonly openPast: OpenPastSources;
  close(): Promise<void>;
}

/** Connects to the database and the event store. Throws a {@link CliError} if the database or the event store cannot be reached. */
export async function openVerifySources({
  databaseUrl,
  eventStoreUrl,
}: SettingsWithServerUrls): Promise<VerifySources> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'countinghouse ledger verify',
    max: CONNECTIONS,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC -c default_transaction_read_only=on',
  });
  pool.on('error', () => undefined);
  const client = connectToLeader(eventStoreUrl);
  const keys = openKeyConnections(databaseUrl);
  const quarantine = new QuarantineReader(client);
  const codec = new EventCodec(new PersonalDataVault(keys), vocabulary(), quarantine);
  const feed = new EventFeed(client, codec);
  const close = async (): Promise<void> => {
    await client.dispose();
    await Promise.all([pool.end(), keys.end()]);
  };
  try {
    await requireReachable('database', 'DATABASE_URL', pool.query('SELECT'));
    await requireReachable('event store', 'EVENTSTORE_URL', feed.readHead());
  } catch (error) {
    await close();
    throw error;
  }
  const aggregates = new AggregateStore(client, codec);
  const catalog = new CachedCatalog(aggregates);
  const streams = new StreamReader(client, codec);
  const subscriptions = new Subscriptions(aggregates);
  const terms = new BillingTermsFinder(
    new CurrentBillingSettings(aggregates),
    new Customers(aggregates, streams),
    new TaxRates(aggregates),
    new Coupons(aggregates),
    subscriptions,
    new DecidedBills(subscriptions, streams),
  );
  const meters = new UsageMeters(pool, new MeterStore(pool), new LogHead(pool), new SqlMetrics(pool));
  // Earlier bills and invoices are read without personal data, as the log is.
  const sealed = new EventCodec(noPersonalDataKeys, vocabulary(), quarantine);
  const sealedAggregates = new AggregateStore(client, sealed);
  const invoices = new Invoices(sealedAggregates);
  const bills = new DecidedBills(new Subscriptions(sealedAggregates), new StreamReader(client, sealed));
  const late = new LateUsageFinder(bills, invoices, catalog, meters);
  const invoiced = new InvoicedUsageFinder(invoices, bills);
  const fees = new RemainingFeeFinder(invoices, bills);
  const measuring = new BillMeasurer(catalog, meters, late, invoiced, fees);
  return {
    pool,
    feed,
    // The log is read without personal data. The checks do not need it, and a value that cannot be decrypted must not stop them.
    log: (head) => readEventLog(client, sealed, head),
    streams,
    quarantine,
    anchors: new AuditAnchors(client, codec),
    catalog,
    issuedInvoices: new IssuedInvoiceAuditor(
      new BillPricer(catalog, terms, late, measuring),
      terms,
      late,
      invoiced,
    ),
    tasks: new TaskProgressReader(pool),
    openPast: (before, usage) => {
      const aggregates = new PastAggregateStore(client, codec, before);
      const streams = new PastStreamReader(client, codec, before);
      const settings = new CurrentBillingSettings(aggregates);
      const invoices = new Invoices(aggregates);
      const meters = new PastUsageMeters(pool, usage);
      const pricer = createPricer({ aggregates, streams, catalog: new CachedCatalog(aggregates), meters });
      return { settings, meter: new UnbilledRevenueMeter(pricer, invoices) };
    },
    close,
  };
}

async function requireReachable(what: string, setting: string, attempt: Promise<unknown>): Promise<void> {
  await attempt.catch((error: Error) => {
    throw new CliError(`The ${what} cannot be reached (${error.message}); check ${setting}`);
  });
}

/** Makes a pricer that reads all its data from these sources. */
function createPricer({
  aggregates,
  streams,
  catalog,
  meters,
}: {
  readonly aggregates: AggregateStore;
  readonly streams: StreamReader;
  readonly catalog: CachedCatalog;
  readonly meters: UsageMeters;
}): BillPricer {
  const invoices = new Invoices(aggregates);
  const subscriptions = new Subscriptions(aggregates);
  const bills = new DecidedBills(subscriptions, streams);
  const late = new LateUsageFinder(bills, invoices, catalog, meters);
  const invoiced = new InvoicedUsageFinder(invoices, bills);
  const fees = new RemainingFeeFinder(invoices, bills);
  const terms = new BillingTermsFinder(
    new CurrentBillingSettings(aggregates),
    new Customers(aggregates, streams),
    new TaxRates(aggregates),
    new Coupons(aggregates),
    subscriptions,
    bills,
  );
  return new BillPricer(catalog, terms, late, new BillMeasurer(catalog, meters, late, invoiced, fees));
}
