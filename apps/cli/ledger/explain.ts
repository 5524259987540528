import type { PersonalDataKeySource } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import { invoiceDecider, sequenceNumberOf, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import {
  compareTransactions,
  InMemoryLedger,
  eventReferenceOf,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { AccountNames } from '#libs/outputs/books';
import { CliError } from '../cli-error.js';
import { LedgerCustomerFilter } from './customer-filter.js';
import { invoiceText } from './invoice-text.js';
import { creditsText } from './credits-text.js';
import { explanationText, type ExplanationStep } from './explanation-text.js';
import { parseSubject } from './subjects.js';
import { lastInstantOfBooks } from './moments.js';
import { findFirstWorkspaceEvent, readWorkspaceEvents } from './workspace-log.js';

/** The arguments of `countinghouse ledger explain`. */
export interface ExplainOptions {
  workspace: string;
  /** The id or number of an invoice or a credit note, or an account. */
  subject: string;
  customer?: string;
}

/**
 * Lists the events that led to the balance of an invoice, a credit note or an account, as lines of text. The text shows each event with its
 * time, its author and the balance after it. For an invoice, the text first shows how the total is computed. For an account without
 * postings, the text says that the account is empty. Without `keys`, texts that users wrote are shown as `[erased]`. Throws a
 * {@link CliError} if no event is about the document. Throws a {@link CliError} if `customer`, or the price or tax rate of an account, does
 * not exist.
 */
export async function explain(
  { workspace, subject: named, customer }: ExplainOptions,
  env: NodeJS.ProcessEnv,
  keys?: PersonalDataKeySource,
): Promise<Iterable<string>> {
  const id = await idOfSubject(named, workspace, env);
  const subject = parseSubject(id);
  const journal = new InMemoryLedger(postingRules());
  const names = new AccountNames();
  const steps: ExplanationStep[] = [];
  const invoice = new ExplainedInvoice(id);
  const asked = new LedgerCustomerFilter(customer);
  const wanted = (transaction: LedgerTransaction): boolean =>
    subject.includesTransaction(transaction) && asked.matches(transaction);
  const read = await readWorkspaceEvents(
    workspace,
    env,
    undefined,
    (event) => {
      names.observe(event);
      asked.rememberIfCreated(event);
      invoice.observe(event);
      const transaction = journal.post(event);
      const credits = creditsText(event);
      const told = credits === undefined ? {} : { credits };
      if (transaction && wanted(transaction)) steps.push({ ...transaction, ...told });
      else if (subject.includesEvent(event) && (!transaction || asked.matches(transaction)))
        steps.push({ at: event.metadata.occurredAt, event: eventReferenceOf(event), ...told });
    },
    keys,
  );
  asked.requireCustomerExists(workspace, read.position);
  steps.push(...journal.scheduledTransactionsUntil(lastInstantOfBooks(read, undefined)).filter(wanted));
  if (steps.length > 0)
    return [...invoice.text(), ...explanationText(steps.sort(compareTransactions), subject, names)];
  if (!subject.existsWithoutEvents(names))
    throw new CliError(`No event of workspace ${workspace} is about ${named}`);
  return [
    `Nothing was posted to ${named}${customer === undefined ? '' : ` for customer ${customer}`}: it is empty.\n`,
  ];
}

/** Builds the state of the explained invoice from its events. The state stays empty if the explained subject is not an invoice. */
class ExplainedInvoice {
  private stream: string | undefined;
  private invoice: Invoice | undefined;

  constructor(private readonly invoiceId: string) {}

  observe(event: RecordedEvent): void {
    const { invoiceId } = event.data as { invoiceId?: string };
    if (event.type === 'InvoiceCreated' && invoiceId === this.invoiceId) this.stream = event.stream;
    if (event.stream === this.stream)
      this.invoice = invoiceDecider.evolve(this.invoice, event as unknown as InvoiceEvent);
  }

  /** Returns the text that shows how the invoice's total is computed. The text is empty if the explained subject is not an invoice. */
  *text(): Iterable<string> {
    if (this.invoice) yield* invoiceText(this.invoice);
  }
}

/**
 * Returns the id of the named subject. If the subject is named by its number, the id is looked up, since the events before the numbering
 * have only the id.
 */
async function idOfSubject(named: string, workspace: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (sequenceNumberOf(named) === undefined) return named;
  const numbering = await findFirstWorkspaceEvent(
    workspace,
    env,
    ({ type, data }) => NUMBERING_EVENTS.has(type) && (data as { number: string }).number === named,
  );
  if (!numbering)
    throw new CliError(`No invoice or credit note of workspace ${workspace} has the number ${named}`);
  const { invoiceId, creditNoteId } = numbering.data as { invoiceId: string; creditNoteId?: string };
  return creditNoteId ?? invoiceId;
}

const NUMBERING_EVENTS: ReadonlySet<string> = new Set([
  'InvoiceOpened',
  'CreditNoteNumbered',
] satisfies InvoiceEvent['type'][]);
