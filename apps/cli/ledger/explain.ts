import { placeOf } from '#libs/invoicing';
import { inOrder, Journal, referenceTo, type LedgerTransaction } from '#libs/ledger';
import { CliError } from '../cli-error.js';
import { storyText, type Step } from './story.js';
import { subjectOf } from './subjects.js';
import { lastMoment } from './moments.js';
import { PriceNames } from './price-names.js';
import { findEvent, readWorkspace } from './workspace-log.js';

/** What `countinghouse ledger explain` is told. */
export interface ExplainOptions {
  workspace: string;
  /** An invoice's id or number, or an account. */
  subject: string;
  customer?: string;
}

/** Tells each event that led to the balance of an invoice or an account, with its time, who caused it and the balance after it. */
export async function explain(
  { workspace, subject: named, customer }: ExplainOptions,
  env: NodeJS.ProcessEnv,
): Promise<Iterable<string>> {
  const subject = subjectOf(await withoutNumber(named, workspace, env));
  const journal = new Journal();
  const names = new PriceNames();
  const steps: Step[] = [];
  const wanted = (transaction: LedgerTransaction): boolean =>
    subject.concerns(transaction) && (customer === undefined || transaction.customerId === customer);
  const read = await readWorkspace(workspace, env, undefined, (event) => {
    names.note(event);
    const transaction = journal.add(event);
    if (transaction && wanted(transaction)) steps.push(transaction);
    else if (!transaction && subject.hears(event))
      steps.push({ at: event.metadata.occurredAt, event: referenceTo(event) });
  });
  steps.push(...journal.due(lastMoment(read, undefined)).filter(wanted));
  if (steps.length === 0) throw new CliError(`No event of workspace ${workspace} has to do with ${named}`);
  return storyText(steps.sort(inOrder), subject, names);
}

/** What is named; of an invoice that is named by its number the id, which its events go by from before it has the number. */
async function withoutNumber(named: string, workspace: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (placeOf(named) === undefined) return named;
  const opening = await findEvent(
    workspace,
    env,
    ({ type, data }) => type === 'InvoiceOpened' && (data as { number: string }).number === named,
  );
  if (!opening) throw new CliError(`No invoice of workspace ${workspace} has the number ${named}`);
  return (opening.data as { invoiceId: string }).invoiceId;
}
