import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { CreateMetric, DeleteMetric, metricDecider, UpdateMetric } from '#libs/contexts/catalog';
import {
  ChangeCreditType,
  CreateCreditType,
  creditCosts,
  CreditCostDirectory,
  creditTypeDecider,
  type WorkspaceCosts,
} from '#libs/contexts/credits';
import { EventFeed } from '#libs/kernel/event-store';
import { ReadModels } from '#libs/kernel/projection';
import { CreditTypeQueries } from '#projections/credit-types';
import { MetricQueries } from '#projections/metrics';
import { presentDefinitionOf } from './counting-metrics.js';
import { WorkspaceMemory } from './workspace-memory.js';

/** Tells what events cost in credits. */
@Injectable()
export class RememberedCreditCosts
  extends CreditCostDirectory
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  private readonly memory: WorkspaceMemory<WorkspaceCosts>;

  constructor(
    creditTypes: CreditTypeQueries,
    metrics: MetricQueries,
    readModels: ReadModels,
    feed: EventFeed,
    commands: CommandBus,
    client: EventStoreDBClient,
  ) {
    super();
    this.memory = new WorkspaceMemory<WorkspaceCosts>(
      { readModels, feed, commands, client },
      {
        categories: [metricDecider.category, creditTypeDecider.category],
        read: async (workspaceId) => {
          const [types, inForce] = await Promise.all([
            creditTypes.all(workspaceId),
            metrics.inForce(workspaceId),
          ]);
          const definitions = inForce.map((metric) => presentDefinitionOf(workspaceId, metric));
          return { creditTypes: types, metrics: definitions, claimsOf: creditCosts(types, definitions) };
        },
        changedBy: (command) =>
          command instanceof CreateMetric ||
          command instanceof UpdateMetric ||
          command instanceof DeleteMetric ||
          command instanceof ChangeCreditType ||
          command instanceof CreateCreditType
            ? command.context.workspaceId
            : undefined,
      },
    );
  }

  onApplicationBootstrap(): void {
    this.memory.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.memory.stop();
  }

  async of(workspaceId: string): Promise<WorkspaceCosts> {
    return this.memory.dataOf(workspaceId);
  }
}
