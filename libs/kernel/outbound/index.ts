export { guardedLookup, UnreachableTarget, type ResolveHostName } from './guarded-lookup.js';
export { hostOf, isAllowedAddressFor, targetProblem, type TargetRules } from './target.js';
export { TargetPolicy } from './target-policy.js';
