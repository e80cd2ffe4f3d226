/** One resource of the API: what kubectl's REST mapper knows of it. */
export interface Resource {
  readonly plural: string;
  readonly short: readonly string[];
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Whether `kubectl get all` lists it. */
  readonly all?: boolean;
}

const r = (plural: string, short: string, api: string, namespaced: boolean, kind: string, all = false): Resource => {
  const slash = api.indexOf('/');
  return {
    plural,
    short: short === '' ? [] : short.split(','),
    group: slash < 0 ? '' : api.slice(0, slash),
    version: slash < 0 ? api : api.slice(slash + 1),
    namespaced,
    kind,
    all,
  };
};

/** Resources of a 1.37 API server in the order of `kubectl api-resources` (by group, then name). */
export const RESOURCES: readonly Resource[] = [
  r('bindings', '', 'v1', true, 'Binding'),
  r('componentstatuses', 'cs', 'v1', false, 'ComponentStatus'),
  r('configmaps', 'cm', 'v1', true, 'ConfigMap'),
  r('endpoints', 'ep', 'v1', true, 'Endpoints'),
  r('events', 'ev', 'v1', true, 'Event'),
  r('limitranges', 'limits', 'v1', true, 'LimitRange'),
  r('namespaces', 'ns', 'v1', false, 'Namespace'),
  r('nodes', 'no', 'v1', false, 'Node'),
  r('persistentvolumeclaims', 'pvc', 'v1', true, 'PersistentVolumeClaim'),
  r('persistentvolumes', 'pv', 'v1', false, 'PersistentVolume'),
  r('pods', 'po', 'v1', true, 'Pod', true),
  r('podtemplates', '', 'v1', true, 'PodTemplate'),
  r('replicationcontrollers', 'rc', 'v1', true, 'ReplicationController', true),
  r('resourcequotas', 'quota', 'v1', true, 'ResourceQuota'),
  r('secrets', '', 'v1', true, 'Secret'),
  r('serviceaccounts', 'sa', 'v1', true, 'ServiceAccount'),
  r('services', 'svc', 'v1', true, 'Service', true),
  r('mutatingwebhookconfigurations', '', 'admissionregistration.k8s.io/v1', false, 'MutatingWebhookConfiguration'),
  r('validatingadmissionpolicies', '', 'admissionregistration.k8s.io/v1', false, 'ValidatingAdmissionPolicy'),
  r(
    'validatingadmissionpolicybindings',
    '',
    'admissionregistration.k8s.io/v1',
    false,
    'ValidatingAdmissionPolicyBinding',
  ),
  r('validatingwebhookconfigurations', '', 'admissionregistration.k8s.io/v1', false, 'ValidatingWebhookConfiguration'),
  r('customresourcedefinitions', 'crd,crds', 'apiextensions.k8s.io/v1', false, 'CustomResourceDefinition'),
  r('apiservices', '', 'apiregistration.k8s.io/v1', false, 'APIService'),
  r('controllerrevisions', '', 'apps/v1', true, 'ControllerRevision'),
  r('daemonsets', 'ds', 'apps/v1', true, 'DaemonSet', true),
  r('deployments', 'deploy', 'apps/v1', true, 'Deployment', true),
  r('replicasets', 'rs', 'apps/v1', true, 'ReplicaSet', true),
  r('statefulsets', 'sts', 'apps/v1', true, 'StatefulSet', true),
  r('selfsubjectreviews', '', 'authentication.k8s.io/v1', false, 'SelfSubjectReview'),
  r('tokenreviews', '', 'authentication.k8s.io/v1', false, 'TokenReview'),
  r('localsubjectaccessreviews', '', 'authorization.k8s.io/v1', true, 'LocalSubjectAccessReview'),
  r('selfsubjectaccessreviews', '', 'authorization.k8s.io/v1', false, 'SelfSubjectAccessReview'),
  r('selfsubjectrulesreviews', '', 'authorization.k8s.io/v1', false, 'SelfSubjectRulesReview'),
  r('subjectaccessreviews', '', 'authorization.k8s.io/v1', false, 'SubjectAccessReview'),
  r('horizontalpodautoscalers', 'hpa', 'autoscaling/v2', true, 'HorizontalPodAutoscaler', true),
  r('cronjobs', 'cj', 'batch/v1', true, 'CronJob', true),
  r('jobs', '', 'batch/v1', true, 'Job', true),
  r('certificatesigningrequests', 'csr', 'certificates.k8s.io/v1', false, 'CertificateSigningRequest'),
  r('leases', '', 'coordination.k8s.io/v1', true, 'Lease'),
  r('endpointslices', '', 'discovery.k8s.io/v1', true, 'EndpointSlice'),
  r('events', 'ev', 'events.k8s.io/v1', true, 'Event'),
  r('flowschemas', '', 'flowcontrol.apiserver.k8s.io/v1', false, 'FlowSchema'),
  r('prioritylevelconfigurations', '', 'flowcontrol.apiserver.k8s.io/v1', false, 'PriorityLevelConfiguration'),
  r('ingressclasses', '', 'networking.k8s.io/v1', false, 'IngressClass'),
  r('ingresses', 'ing', 'networking.k8s.io/v1', true, 'Ingress'),
  r('ipaddresses', 'ip', 'networking.k8s.io/v1', false, 'IPAddress'),
  r('networkpolicies', 'netpol', 'networking.k8s.io/v1', true, 'NetworkPolicy'),
  r('servicecidrs', '', 'networking.k8s.io/v1', false, 'ServiceCIDR'),
  r('runtimeclasses', '', 'node.k8s.io/v1', false, 'RuntimeClass'),
  r('poddisruptionbudgets', 'pdb', 'policy/v1', true, 'PodDisruptionBudget'),
  r('clusterrolebindings', '', 'rbac.authorization.k8s.io/v1', false, 'ClusterRoleBinding'),
  r('clusterroles', '', 'rbac.authorization.k8s.io/v1', false, 'ClusterRole'),
  r('rolebindings', '', 'rbac.authorization.k8s.io/v1', true, 'RoleBinding'),
  r('roles', '', 'rbac.authorization.k8s.io/v1', true, 'Role'),
  r('deviceclasses', '', 'resource.k8s.io/v1', false, 'DeviceClass'),
  r('resourceclaims', '', 'resource.k8s.io/v1', true, 'ResourceClaim'),
  r('resourceclaimtemplates', '', 'resource.k8s.io/v1', true, 'ResourceClaimTemplate'),
  r('resourceslices', '', 'resource.k8s.io/v1', false, 'ResourceSlice'),
  r('priorityclasses', 'pc', 'scheduling.k8s.io/v1', false, 'PriorityClass'),
  r('csidrivers', '', 'storage.k8s.io/v1', false, 'CSIDriver'),
  r('csinodes', '', 'storage.k8s.io/v1', false, 'CSINode'),
  r('csistoragecapacities', '', 'storage.k8s.io/v1', true, 'CSIStorageCapacity'),
  r('storageclasses', 'sc', 'storage.k8s.io/v1', false, 'StorageClass'),
  r('volumeattachments', '', 'storage.k8s.io/v1', false, 'VolumeAttachment'),
  r('volumeattributesclasses', 'vac', 'storage.k8s.io/v1', false, 'VolumeAttributesClass'),
];

/** Members of the category `all`, in the order in which kubectl prints them. */
export const ALL = [
  'pods',
  'replicationcontrollers',
  'services',
  'daemonsets',
  'deployments',
  'replicasets',
  'statefulsets',
  'horizontalpodautoscalers',
  'cronjobs',
  'jobs',
];

export const apiVersion = (x: Resource): string => (x.group === '' ? x.version : `${x.group}/${x.version}`);
/** `services`, `deployments.apps`: how the server and kubectl's messages name a resource. */
export const qualified = (x: Resource): string => (x.group === '' ? x.plural : `${x.plural}.${x.group}`);
/** `service`, `deployment.apps`: how kubectl prints an object's name. */
export const singularName = (x: Resource): string => {
  const s = x.kind.toLowerCase();
  return x.group === '' ? s : `${s}.${x.group}`;
};

/** A resource as typed: plural, singular, short name, kind, or `resource.group`; letters other than the kind's are as the server spells them. */
export function findResource(typed: string): Resource | undefined {
  const dot = typed.indexOf('.');
  const name = dot < 0 ? typed : typed.slice(0, dot);
  const group = dot < 0 ? undefined : typed.slice(dot + 1).replace(/^v\d\w*\.?/, '');
  const fits = (x: Resource): boolean =>
    group === undefined || x.group === group || `${x.version}.${x.group}` === typed.slice(dot + 1);
  const byName = RESOURCES.find(
    (x) => fits(x) && (x.plural === name || x.short.includes(name) || x.kind.toLowerCase() === name),
  );
  if (byName) return byName;
  // kubectl tries the text as a kind, too (`kubectl get Service web`), exactly spelled.
  return RESOURCES.find((x) => fits(x) && x.kind === name);
}

export function resourceOfKind(kind: string, api: string): Resource | undefined {
  return RESOURCES.find((x) => x.kind === kind && apiVersion(x) === api);
}
