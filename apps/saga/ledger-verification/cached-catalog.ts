import { Catalog } from '#libs/contexts/catalog';
import type { PriceSnapshot } from '#libs/rating';
import type { MetricDefinition } from '#libs/usage';

const LIMIT = 10_000;

/** A catalog with a cache of price and metric versions. Versions never change, and most invoices need the same few versions. */
export class CachedCatalog extends Catalog {
  private readonly prices = new Map<string, Promise<PriceSnapshot>>();
  private readonly metrics = new Map<string, Promise<MetricDefinition>>();

  override priceVersion(workspaceId: string, priceId: string, version: number): Promise<PriceSnapshot> {
    return loadOnce(this.prices, [workspaceId, priceId, version], () =>
      super.priceVersion(workspaceId, priceId, version),
    );
  }

  override metricDefinition(
    workspaceId: string,
    metricId: string,
    version?: number,
  ): Promise<MetricDefinition> {
    if (version === undefined) return super.metricDefinition(workspaceId, metricId);
    return loadOnce(this.metrics, [workspaceId, metricId, version], () =>
      super.metricDefinition(workspaceId, metricId, version),
    );
  }
}

function loadOnce<T>(
  known: Map<string, Promise<T>>,
  parts: readonly (string | number)[],
  load: () => Promise<T>,
): Promise<T> {
  const key = parts.join(' ');
  const found = known.get(key);
  if (found) return found;
  if (known.size >= LIMIT) known.clear();
  const loading = load();
  known.set(key, loading);
  return loading;
}
