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
import { WorkspaceCaches, type WorkspaceCache } from './workspace-cache.js';

/** Provides the cost of usage events in credits, from memory. */
@Injectable()
export class RememberedCreditCosts extends CreditCostDirectory {
  private readonly cache: WorkspaceCache<WorkspaceCosts>;

  constructor(creditTypes: CreditTypeQueries, metrics: MetricQueries, caches: WorkspaceCaches) {
    super();
    this.cache = caches.create<WorkspaceCosts>({
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
    return this.cache.dataOf(workspaceId);
  }
}
