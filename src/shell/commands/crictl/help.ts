/** Texts of crictl 1.37 (urfave/cli). */
export const USAGE = `NAME:
   crictl - client for CRI

USAGE:
   crictl [global options] command [command options]

VERSION:
   unknown

COMMANDS:
   attach                 Attach to a running container
   checkpoint             Checkpoint one or more running containers
   completion             Output shell completion code
   config                 Get, set and list crictl configuration options
   create                 Create a new container
   events, event          Stream the events of containers
   exec                   Run a command in a running container
   imagefsinfo            Return image filesystem info
   images, image, img     List images
   info                   Display information of the container runtime
   inspect                Display the status of one or more containers
   inspecti               Return the status of one or more images
   inspectp               Display the status of one or more pods
   logs                   Fetch the logs of a container
   metricdescs            List metric descriptors. Returns information about the metrics available through the CRI.
   metricsp               List pod metrics. Metrics are unstructured key/value pairs gathered by CRI meant to replace cAdvisor's /metrics/cadvisor endpoint.
   pods                   List pods
   port-forward           Forward local port to a pod
   ps                     List containers
   pull                   Pull an image from a registry
   rm                     Remove one or more containers
   rmi                    Remove one or more images
   rmp                    Remove one or more pods
   run                    Run a new container inside a sandbox
   runp                   Run a new pod
   runtime-config         Retrieve the container runtime configuration
   start                  Start one or more created containers
   stats                  List container(s) resource usage statistics
   statsp                 List pod statistics. Stats represent a structured API that will fulfill the Kubelet's /stats/summary endpoint.
   stop                   Stop one or more running containers
   stopp                  Stop one or more running pods
   update                 Update one or more running containers
   update-runtime-config  Update the runtime configuration
   version                Display runtime version information
   help, h                Shows a list of commands or help for one command

GLOBAL OPTIONS:
   --config value, -c value                   Location of the client config file. If not specified and the default does not exist, the program's directory is searched as well (default: "/etc/crictl.yaml") [$CRI_CONFIG_FILE]
   --debug, -D                                Enable debug mode (default: false)
   --enable-tracing                           Enable OpenTelemetry tracing. (default: false)
   --image-endpoint value, -i value           Endpoint of CRI image manager service (default: uses 'runtime-endpoint' setting) [$IMAGE_SERVICE_ENDPOINT]
   --max-retries value                        Max retries for connecting to an explicitly set endpoint with exponential backoff (0 to disable, negative for infinite) (default: 3)
   --profile-cpu value                        Write a pprof CPU profile to the provided path.
   --profile-mem value                        Write a pprof memory profile to the provided path.
   --runtime-endpoint value, -r value         Endpoint of CRI container runtime service (default: uses in order the first successful one of [unix:///run/containerd/containerd.sock unix:///run/crio/crio.sock unix:///var/run/cri-dockerd.sock]). Default is now deprecated and the endpoint should be set instead. [$CONTAINER_RUNTIME_ENDPOINT]
   --timeout value, -t value                  Timeout of connecting to the server in seconds (e.g. 2s, 20s.). 0 or less is set to default (default: 2s)
   --tracing-endpoint value                   Address to which the gRPC tracing collector will send spans to. (default: "127.0.0.1:4317")
   --tracing-sampling-rate-per-million value  Number of samples to collect per million OpenTelemetry spans. Set to 1000000 or -1 to always sample. (default: -1)
   --help, -h                                 show help
   --version, -v                              print the version
`;

export const PS_USAGE = `NAME:
   crictl ps - List containers

USAGE:
   crictl ps [command options]

OPTIONS:
   --all, -a                        Show all containers (default: false)
   --id value                       Filter by container id
   --image value                    Filter by container image
   --label value [ --label value ]  Filter by key=value label
   --last value, -n value           Show last n recently created containers (includes all states). Set 0 for unlimited. (default: 0)
   --latest, -l                     Show the most recently created container (includes all states) (default: false)
   --name value                     Filter by container name regular expression pattern
   --namespace value                Filter by pod namespace regular expression pattern
   --no-trunc                       Show output without truncating the ID (default: false)
   --output value, -o value         Output format, One of: json|yaml|table (default: "table")
   --pod value, -p value            Filter by pod id
   --quiet, -q                      Only display container IDs (default: false)
   --resolve-image-path, -r         Show image path instead of image id (default: false)
`;
