export { guardedFetch, OutboundRequestRefused, type GuardedRequest } from './guarded-fetch.js';
export { guardedLookup, NoAllowedAddress, type ResolveHostName } from './guarded-lookup.js';
export { hostOf, allowedAddressCheck, targetProblem, type TargetRules } from './target.js';
export { TargetPolicy, targetPolicyProvider } from './target-policy.js';
