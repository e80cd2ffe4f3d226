import { useSyncExternalStore } from 'react';

/** Which page is open. Everything lies in the query, so that the site works under any path of any host. */
export type Route =
  | { readonly view: 'landing' }
  | { readonly view: 'lessons' }
  | { readonly view: 'lesson'; readonly id: string }
  | { readonly view: 'sandbox' }
  /** A link that carries a world in its fragment. */
  | { readonly view: 'link'; readonly fragment: string };

export function routeOf(location: { readonly search: string; readonly hash: string }): Route {
  const query = new URLSearchParams(location.search);
  if (location.hash.startsWith('#s=')) return { view: 'link', fragment: location.hash };
  const lesson = query.get('lesson') ?? query.get('scenario');
  if (lesson !== null && lesson !== '') return { view: 'lesson', id: lesson };
  if (query.has('sandbox')) return { view: 'sandbox' };
  if (query.has('lessons')) return { view: 'lessons' };
  return { view: 'landing' };
}

export function addressOf(route: Route): string {
  switch (route.view) {
    case 'landing':
      return './';
    case 'lessons':
      return './?lessons';
    case 'lesson':
      return `./?lesson=${encodeURIComponent(route.id)}`;
    case 'sandbox':
      return './?sandbox';
    case 'link':
      return `./${route.fragment}`;
  }
}

const listeners = new Set<() => void>();
let current: Route = routeOf(window.location);
const changed = (): void => {
  const next = routeOf(window.location);
  // A change of the fragment comes as two events; the same page stays the same object.
  if (addressOf(next) === addressOf(current)) return;
  current = next;
  for (const l of listeners) l();
};
window.addEventListener('popstate', changed);
window.addEventListener('hashchange', changed);

/** Opens another page without loading the document anew. */
export function go(route: Route): void {
  window.history.pushState(null, '', addressOf(route));
  changed();
  window.scrollTo(0, 0);
}

export function useRoute(): Route {
  return useSyncExternalStore(
    (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    () => current,
  );
}

/** Props of a link that opens another page here, and stays a link for everything else. */
export function linkTo(route: Route) {
  return {
    href: addressOf(route),
    onClick: (e: React.MouseEvent) => {
      if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      go(route);
    },
  };
}
