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
import { CurrentBillingSettings, Invoices } from '#libs/contexts/invoicing';
import { columnTypeParsers } from '#libs/kernel/postgres';
import { TaskProgressReader } from '#libs/kernel/saga';
import { UnbilledRevenueMeter, type OpenPastSources } from '#libs/contexts/revenue';
import { Subscriptions } from '#libs/contexts/subscriptions';
import { TaxRates } from '#libs/contexts/taxes';
import { LogHead, MeterStore, PastUsageMeters, SqlMetrics, UsageMeters } from '#libs/usage';
import { vocabulary } from '#libs/manifest';
import { CachedCatalog } from './cached-catalog.js';

/** The read-only connections and readers that the verification of the ledger needs. */
export interface VerifySources {
  readonly pool: pg.Pool;
  /** Reads the event log, without personal data. The checks do not need it, and a value that cannot be decrypted must not stop them. */
  readonly feed: EventFeed;
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

/** The places of the data, and how they are read. */
export interface VerifySourcesOptions {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** The largest number of connections to the database. */
  readonly connections: number;
  /** Whether a separate thread reads the event log, so that other work of this process goes on meanwhile. */
  readonly readsInThread: boolean;
}

/** The database or the event store cannot be reached. */
export class SourceUnreachable extends Error {
  override readonly name = 'SourceUnreachable';

  constructor(
    readonly source: 'database' | 'event store',
    cause: Error,
  ) {
    super(`The ${source} cannot be reached (${cause.message})`, { cause });
  }
}

/** Connects to the database and the event store. Throws {@link SourceUnreachable} if one of them cannot be reached. */
export async function openVerifySources({
  databaseUrl,
  eventStoreUrl,
  connections,
  readsInThread,
}: VerifySourcesOptions): Promise<VerifySources> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'countinghouse ledger verify',
    max: connections,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC -c default_transaction_read_only=on',
  });
  pool.on('error', () => undefined);
  const client = connectToLeader(eventStoreUrl);
  const keys = openKeyConnections(databaseUrl);
  const quarantine = new QuarantineReader(client);
  const codec = new EventCodec(new PersonalDataVault(keys), vocabulary(), quarantine);
  // Events, earlier bills and invoices are read without personal data.
  const sealed = new EventCodec(noPersonalDataKeys, vocabulary(), quarantine);
  const feed = new EventFeed(client, sealed, { url: readsInThread ? eventStoreUrl : undefined });
  const close = async (): Promise<void> => {
    await client.dispose();
    await Promise.all([pool.end(), keys.end()]);
  };
  try {
    await requireReachable('database', pool.query('SELECT'));
    await requireReachable('event store', feed.readHead());
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

async function requireReachable(
  source: SourceUnreachable['source'],
  attempt: Promise<unknown>,
): Promise<void> {
  await attempt.catch((error: Error) => {
    throw new SourceUnreachable(source, error);
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
