import { Injectable } from '@nestjs/common';
import { CreateMetric, DeleteMetric, metricDecider, UpdateMetric } from '#libs/contexts/catalog';
import {
  ChangeCreditType,
  CreateCreditType,
  createCreditClaimFinder,
  CreditCostDirectory,
  creditTypeDecider,
  type WorkspaceCosts,
} from '#libs/contexts/credits';
import { eventTypesOf } from '#libs/kernel/domain';
import { CreditTypeQueries } from '#projections/credit-types';
import { MetricQueries } from '#projections/metrics';
import { currentDefinitionOf } from './counting-metrics.js';
import { WorkspaceMemories, type WorkspaceMemory } from './workspace-memory.js';

/** Provides the cost of usage events in credits, from memory. */
@Injectable()
export class RememberedCreditCosts extends CreditCostDirectory {
  private readonly memory: WorkspaceMemory<WorkspaceCosts>;

  constructor(creditTypes: CreditTypeQueries, metrics: MetricQueries, memories: WorkspaceMemories) {
    super();
    this.memory = memories.create<WorkspaceCosts>({
      eventTypes: [...eventTypesOf(metricDecider), ...eventTypesOf(creditTypeDecider)],
      read: async (workspaceId) => {
        const [types, inForce] = await Promise.all([
          creditTypes.allCreditTypes(workspaceId),
          metrics.liveMetrics(workspaceId),
        ]);
        const definitions = inForce.map((metric) => currentDefinitionOf(workspaceId, metric));
        return {
          creditTypes: types,
          metrics: definitions,
          claimsOf: createCreditClaimFinder(types, definitions),
        };
      },
      workspaceChangedBy: (command) =>
        command instanceof CreateMetric ||
        command instanceof UpdateMetric ||
        command instanceof DeleteMetric ||
        command instanceof ChangeCreditType ||
        command instanceof CreateCreditType
          ? command.context.workspaceId
          : undefined,
    });
  }

  async costsOf(workspaceId: string): Promise<WorkspaceCosts> {
    return this.memory.dataOf(workspaceId);
  }
}
