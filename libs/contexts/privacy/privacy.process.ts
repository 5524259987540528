import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { isWalletEvent, ledgerEntryOf, walletDecider, walletId, WalletReader } from '#libs/contexts/credits';
import { Customers } from '#libs/contexts/customers';
import { ClosedPortals } from '#libs/contexts/identity';
import { DeleteCustomer } from '#libs/contexts/subscriptions';
import { AppError, Unavailable } from '#libs/kernel/core';
import { aggregateId, type Position } from '#libs/kernel/domain';
import {
  AggregateStore,
  followUpContext,
  PersonalDataVault,
  StreamReader,
  type CommandContext,
} from '#libs/kernel/event-store';
import {
  ProcessManager,
  reactByEventType,
  type Task,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { personalDataErasers, type ErasedPerson, type PersonalDataEraser } from '#libs/manifest';
import { CustomerRecordFinder } from './customer-record-finder.js';
import { erasureDecider, nextErasureStep, type ErasureCommand } from './erasure.js';
import type { ErasureEvent, ErasureStep } from './events.js';
import { OpenRecordEnder } from './open-record-ender.js';

interface Erased {
  customerId: string;
}

type Tasks = Record<ErasureStep, Erased>;

/** The maximum number of streams, and of wallet entries, that one `PersonalDataErased` event lists. */
const STREAMS_PER_EVENT = 500;

/**
 * Performs an erasure step by step. Each step of an erasure is a task, which is repeated until it succeeds. A step that waits or is refused
 * fails with an Unavailable error, so it is never given up. Only a step that fails because of a defect is given up, like every task, after
 * 600 attempts. The event that records the end of a step starts the next step of the erasure.
 */
@Injectable()
export class PrivacyProcess extends ProcessManager<Tasks> {
  readonly name = 'privacy';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly aggregates: AggregateStore,
    private readonly streams: StreamReader,
    private readonly vault: PersonalDataVault,
    private readonly customers: Customers,
    private readonly wallets: WalletReader,
    private readonly records: CustomerRecordFinder,
    private readonly settlement: OpenRecordEnder,
    private readonly portals: ClosedPortals,
    private readonly modules: ModuleRef,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<ErasureEvent, Tasks>({
    ErasureRequested: ({ data: { customerId } }) => stepAfter(undefined, customerId),
    ErasureStepDone: ({ data: { customerId, step } }) => stepAfter(step, customerId),
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    settlement: async ({ customerId }, context) => {
      // The request closes the portal. If the program stopped before the portal was closed, this step closes the portal.
      await this.portals.close(context.workspaceId, customerId);
      await this.settle(context, customerId);
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'settlement' });
    },
    closing: async ({ customerId }, context) => {
      const customer = await this.customers.find(context.workspaceId, customerId);
      if (customer && !customer.deleted) {
        // Until the customer is deleted, a request can still create a subscription, which would prevent the deletion.
        await this.settle(context, customerId);
        await this.commands.execute(new DeleteCustomer(followUpContext(context, 'delete'), customerId));
      }
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'closing' });
    },
    measurements: async ({ customerId }, context) => {
      await this.erase('before_key_erasure', context.workspaceId, customerId);
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'measurements' });
    },
    key: async ({ customerId }, context) => {
      await this.vault.destroyKey(aggregateId(context.workspaceId, customerId));
      this.aggregates.forgetStates();
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'key' });
    },
    read_models: async ({ customerId }, context) => {
      await this.requireCurrentReadModels(context, customerId);
      const streams = (await this.records.personalDataStreams(context.workspaceId, customerId)).map(
        ({ stream }) => stream,
      );
      const entries = await this.walletEntriesOf(context.workspaceId, customerId);
      for (let first = 0; first < Math.max(streams.length, entries.length); first += STREAMS_PER_EVENT) {
        const part = <T>(all: T[]): T[] => all.slice(first, first + STREAMS_PER_EVENT);
        await this.record(followUpContext(context, `rows ${first}`), {
          type: 'RecordErasedData',
          customerId,
          streams: part(streams),
          entries: part(entries),
        });
      }
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'read_models' });
    },
    copies: async ({ customerId }, context) => {
      // Wait for the read models first. Before they have applied the erasure, a new answer of the API could still contain personal data and
      // be stored.
      await this.requireCurrentReadModels(context, customerId);
      await this.erase('after_key_erasure', context.workspaceId, customerId);
      await this.record(context, { type: 'RecordErasureStep', customerId, step: 'copies' });
    },
  };

  /** Performs a step. A refusal of a command passes, for example when a payment in progress ends, so it becomes an Unavailable error. */
  override async perform(task: Task): Promise<TaskResult | void> {
    try {
      return await super.perform(task);
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof Unavailable) throw error;
      throw new Unavailable(error.code, error.message, error.details);
    }
  }

  /** Ends everything that is still open for the customer. Throws Unavailable while something is not ended. */
  private async settle(context: CommandContext, customerId: string): Promise<void> {
    // Read models name the records to end. A read model that is behind would miss a record that was made just before the request.
    await this.requireCurrentReadModels(context, customerId);
    if (!(await this.settlement.endOpenRecords(context, customerId)))
      throw new Unavailable(
        'customer_being_settled',
        `Customer "${customerId}" is being settled; the erasure continues when everything is settled`,
      );
  }

  private async record(
    context: CommandContext,
    command: {
      [Type in ErasureCommand['type']]: Omit<Extract<ErasureCommand, { type: Type }>, 'at'>;
    }[ErasureCommand['type']],
  ): Promise<void> {
    const id = aggregateId(context.workspaceId, command.customerId);
    await this.aggregates.execute(erasureDecider, id, context, {
      ...command,
      at: context.now,
    });
  }

  /** Throws Unavailable while a read model has not applied the latest event of the erasure. */
  private async requireCurrentReadModels({ workspaceId }: CommandContext, customerId: string): Promise<void> {
    const last = await this.lastPosition(workspaceId, customerId);
    const position = await this.records.positionReachedByAllReadModels();
    if (position === null || position < last)
      throw new Unavailable(
        'read_models_behind',
        `The read models are at position ${position}, before ${last}; the erasure waits for them`,
      );
  }

  /** Returns the position of the latest event of the erasure. */
  private async lastPosition(workspaceId: string, customerId: string): Promise<Position> {
    const stream = `${erasureDecider.category}-${aggregateId(workspaceId, customerId)}`;
    return (await this.streams.read(stream)).at(-1)!.position;
  }

  /** Returns the ids of the wallet events that contain a note of a user. */
  private async walletEntriesOf(workspaceId: string, customerId: string): Promise<string[]> {
    const entries: string[] = [];
    for (const wallet of await this.wallets.ofCustomer(workspaceId, customerId)) {
      const events = await this.streams.read(`${walletDecider.category}-${walletId(workspaceId, wallet)}`);
      for (const event of events)
        if (isWalletEvent(event) && ledgerEntryOf(event.id, event)?.description) entries.push(event.id);
    }
    return entries;
  }

  private async erase(
    phase: PersonalDataEraser['phase'],
    workspaceId: string,
    customerId: string,
  ): Promise<void> {
    const records = await this.records.personalDataStreams(workspaceId, customerId);
    const ids = new Set([customerId, ...records.map(({ id }) => id)]);
    const position = await this.lastPosition(workspaceId, customerId);
    const person: ErasedPerson = { workspaceId, customerId, ids, position };
    for (const type of personalDataErasers()) {
      const eraser = this.modules.get(type, { strict: false });
      if (eraser.phase === phase) await eraser.erase(person);
    }
  }
}

function stepAfter(step: ErasureStep | undefined, customerId: string): TaskRequest<Tasks>[] {
  const name = nextErasureStep(step);
  return name === undefined ? [] : [{ name, payload: { customerId }, clock: 'system' }];
}
