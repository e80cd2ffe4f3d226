import { type ClusterSpec, labProxy, threeNodes, twoNetns } from '../engine/cluster';
import type { ClusterRecipe } from './protocol';

/** The cluster that a recipe names. */
export function specOf(recipe: ClusterRecipe): ClusterSpec {
  if (recipe.spec) return recipe.spec;
  switch (recipe.profile) {
    case 'two-netns':
      return twoNetns();
    case 'three-nodes':
      return threeNodes(recipe);
    case 'lab-proxy':
      return labProxy(recipe);
    case 'lab-netfilter':
    case 'lab-cli':
      throw new Error(`profile ${recipe.profile} is not built here`);
  }
}
