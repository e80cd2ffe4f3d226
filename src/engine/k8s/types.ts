import type { Json } from '../base/json';

/** Object types exactly as the API spells them; only the fields that the model reads are named. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export type StringMap = { readonly [key: string]: string };

export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface KObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export type IpFamilyName = 'IPv4' | 'IPv6';
export type Protocol = 'TCP' | 'UDP' | 'SCTP';

export interface ServicePort {
  readonly name?: string;
  readonly protocol: Protocol;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort: number | string;
  readonly nodePort?: number;
}

export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: 'VIP' | 'Proxy';
  readonly ports?: readonly Json[];
}

export interface ServiceSpec {
  readonly ports?: readonly ServicePort[];
  readonly selector?: StringMap;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly externalIPs?: readonly string[];
  readonly sessionAffinity?: 'None' | 'ClientIP';
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly loadBalancerClass?: string;
  readonly externalName?: string;
  readonly externalTrafficPolicy?: 'Cluster' | 'Local';
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly ipFamilies?: readonly IpFamilyName[];
  readonly ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly internalTrafficPolicy?: 'Cluster' | 'Local';
  readonly trafficDistribution?: string;
}

export interface Service extends KObject {
  readonly kind: 'Service';
  readonly spec: ServiceSpec;
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerIngress[] } };
}

export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly { readonly name: string }[];
  readonly forNodes?: readonly { readonly name: string }[];
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface SlicePort {
  readonly name?: string;
  readonly protocol?: Protocol;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice extends KObject {
  readonly kind: 'EndpointSlice';
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly endpoints: readonly SliceEndpoint[] | null;
  readonly ports: readonly SlicePort[] | null;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly { name?: string; port: number; protocol?: Protocol; appProtocol?: string }[];
}

export interface Endpoints extends KObject {
  readonly kind: 'Endpoints';
  readonly subsets?: readonly EndpointSubset[];
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: Protocol;
  readonly hostPort?: number;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly ports?: readonly ContainerPort[];
  readonly restartPolicy?: string;
  readonly readinessProbe?: { readonly [key: string]: Json | undefined };
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Pod extends KObject {
  readonly kind: 'Pod';
  readonly spec: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly hostname?: string;
    readonly subdomain?: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly dnsPolicy?: string;
    readonly restartPolicy?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly nodeSelector?: StringMap;
  };
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly hostIP?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly PodCondition[];
    readonly startTime?: string;
  };
}

export interface Node extends KObject {
  readonly kind: 'Node';
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly effect: string; readonly value?: string }[];
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly PodCondition[];
    readonly nodeInfo?: StringMap;
  };
}

export interface LabelSelector {
  readonly matchLabels?: StringMap;
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap };
  readonly spec: Pod['spec'];
}

export interface ReplicaSet extends KObject {
  readonly kind: 'ReplicaSet';
  readonly spec: { readonly replicas?: number; readonly selector: LabelSelector; readonly template: PodTemplate };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export interface Deployment extends KObject {
  readonly kind: 'Deployment';
  readonly spec: { readonly replicas?: number; readonly selector: LabelSelector; readonly template: PodTemplate };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number; readonly updatedReplicas?: number };
}

export interface Namespace extends KObject {
  readonly kind: 'Namespace';
  readonly status?: { readonly phase?: string };
}
