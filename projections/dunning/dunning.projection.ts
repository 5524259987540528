import { debtDecider, type DunningEvent } from '#libs/contexts/dunning';
import type { Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import { DunningProcessRow, STATUS_AT_END } from './dunning-process-row.js';

/** All dunning processes, for `GET /v1/dunning/processes`. A debt's stream has several, so each is a row with its own id. */
export const dunningProjection = foldProjection<DunningProcessRow, DunningEvent>({
  name: 'dunning',
  version: 1,
  entity: DunningProcessRow,
  eventTypes: Object.keys(debtDecider.events) as DunningEvent['type'][],
  key: ({ data }) => data.processId,
  isFirst: ({ type }) => type === 'DunningStarted',
  evolve: (row, event) => (isStart(event) ? started(event) : changed(row!, event)),
});

type Started = Extract<DunningEvent, { type: 'DunningStarted' }>;

function isStart(event: Recorded<DunningEvent>): event is Recorded<Started> {
  return event.type === 'DunningStarted';
}

function started({ data, metadata, position }: Recorded<Started>): DunningProcessRow {
  const { at: startedAt, ...details } = data;
  const { workspaceId } = metadata;
  const beginning = { status: 'active', taken: [], startedAt, endedAt: null } as const;
  return { workspaceId, ...details, ...beginning, createdPosition: String(position) };
}

function changed(row: DunningProcessRow, event: Recorded<DunningEvent>): DunningProcessRow {
  switch (event.type) {
    case 'DunningStarted':
      return row;
    case 'DunningInvoiceAdded':
      return { ...row, invoiceIds: [...row.invoiceIds, event.data.invoiceId] };
    case 'DunningInvoiceSettled':
      return { ...row, invoiceIds: row.invoiceIds.filter((id) => id !== event.data.invoiceId) };
    case 'DunningStepTaken': {
      const { at, mailId, invoiceIds, amount, nextStepAt } = event.data;
      return { ...row, taken: [...row.taken, { at, mailId, invoiceIds, amount }], nextStepAt };
    }
    case 'DunningEnded':
      return {
        ...row,
        ...{ status: STATUS_AT_END[event.data.reason], endedAt: event.data.at, nextStepAt: null },
      };
  }
}
