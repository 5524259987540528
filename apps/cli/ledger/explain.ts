import type { RecordedEvent } from '#libs/kernel/domain';
import { invoiceDecider, placeOf, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import { inOrder, Journal, referenceTo, type LedgerTransaction } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { CliError } from '../cli-error.js';
import { AskedCustomer } from './asked-customer.js';
import { invoiceText } from './invoice-text.js';
import { explanationText, type Step } from './explanation-text.js';
import { subjectOf } from './subjects.js';
import { lastInstant } from './moments.js';
import { PriceNames } from './price-names.js';
import { findEvent, readWorkspace } from './workspace-log.js';

/** What `countinghouse ledger explain` is told. */
export interface ExplainOptions {
  workspace: string;
  /** The id or number of an invoice or a credit note, or an account. */
  subject: string;
  customer?: string;
}

/**
 * Tells each event that led to the balance of an invoice, a credit note or an account, with its time, who caused it and the balance
 * after it; of an invoice, first how it comes to its total. An account that nothing was posted to is empty; of anything else there must be an event, else a {@link CliError}.
 */
export async function explain(
  { workspace, subject: named, customer }: ExplainOptions,
  env: NodeJS.ProcessEnv,
): Promise<Iterable<string>> {
  const id = await withoutNumber(named, workspace, env);
  const subject = subjectOf(id);
  const journal = new Journal(postingRules());
  const names = new PriceNames();
  const steps: Step[] = [];
  const invoice = new NamedInvoice(id);
  const asked = new AskedCustomer(customer);
  const wanted = (transaction: LedgerTransaction): boolean =>
    subject.concerns(transaction) && asked.concerns(transaction);
  const read = await readWorkspace(workspace, env, undefined, (event) => {
    names.note(event);
    asked.note(event);
    invoice.note(event);
    const transaction = journal.add(event);
    if (transaction && wanted(transaction)) steps.push(transaction);
    else if (!transaction && subject.hears(event))
      steps.push({ at: event.metadata.occurredAt, event: referenceTo(event) });
  });
  asked.requireThere(workspace, read.position);
  steps.push(...journal.due(lastInstant(read, undefined)).filter(wanted));
  if (steps.length > 0) return [...invoice.text(), ...explanationText(steps.sort(inOrder), subject, names)];
  if (!subject.isKnown(names))
    throw new CliError(`No event of workspace ${workspace} has to do with ${named}`);
  return [
    `Nothing was posted to ${named}${customer === undefined ? '' : ` for customer ${customer}`}: it is empty.\n`,
  ];
}

/** The invoice that is explained, if it is one, as its events tell. */
class NamedInvoice {
  private stream: string | undefined;
  private invoice: Invoice | undefined;

  constructor(private readonly invoiceId: string) {}

  note(event: RecordedEvent): void {
    const { invoiceId } = event.data as { invoiceId?: string };
    if (event.type === 'InvoiceCreated' && invoiceId === this.invoiceId) this.stream = event.stream;
    if (event.stream === this.stream)
      this.invoice = invoiceDecider.evolve(this.invoice, event as unknown as InvoiceEvent);
  }

  /** How it comes to its total; nothing if what is explained is no invoice. */
  *text(): Iterable<string> {
    if (this.invoice) yield* invoiceText(this.invoice);
  }
}

/** What is named; of what is named by its number the id, which its events go by from before it has the number. */
async function withoutNumber(named: string, workspace: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (placeOf(named) === undefined) return named;
  const numbering = await findEvent(
    workspace,
    env,
    ({ type, data }) => NUMBERED.has(type) && (data as { number: string }).number === named,
  );
  if (!numbering)
    throw new CliError(`No invoice or credit note of workspace ${workspace} has the number ${named}`);
  const { invoiceId, creditNoteId } = numbering.data as { invoiceId: string; creditNoteId?: string };
  return creditNoteId ?? invoiceId;
}

const NUMBERED: ReadonlySet<string> = new Set([
  'InvoiceOpened',
  'CreditNoteNumbered',
] satisfies InvoiceEvent['type'][]);
